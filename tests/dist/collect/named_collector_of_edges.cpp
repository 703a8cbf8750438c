// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/named_collector.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt::element_type;
using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::elements_of;
using glt_test::gathered;
using glt_test::whole_table;

namespace {

// The features of a part, in the order of its edges.
glt::feature_table<cpu> features_of(glt::csr_view<glt::memory_space::host, glt::global_id> graph) {
  std::vector<glt::edge_id> ids;
  for (std::int64_t e = 0; e < graph.num_edges(); ++e) {
    ids.push_back(graph.id_of_edge(e));
  }
  return {glt::make_buffer<cpu>(ids), glt_test::named_table(ids)};
}

} // namespace

TEST_CASE("sampled edges get the rows of all tensors that one process gathers from the whole, on any number of ranks") {
  auto const body = [](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        INFO(list.name, ", ", partitioner.name);
        auto const& whole = whole_table(list.num_edges());
        divided_graph const divided(list, partitioner, comm.size());
        glt::dist::graph graph(comm, divided.part(comm.rank()));
        glt::dist::named_features const features(comm, graph.book(), features_of(graph.local()));
        glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {4, 3}, .edge_ids = true});
        glt::dist::named_collector collector(comm, features,
                                             {{.name = "small", .type = element_type::float32},
                                              {.name = "year"},
                                              {.name = "title", .type = element_type::float64}},
                                             cpu(2));
        glt::dist::named_collector everything(comm, features);
        glt::sampled_subgraph<cpu, glt::global_id> sample;
        std::int64_t edges = 0;
        for (std::int64_t step = 0; step < 3; ++step) {
          auto const seeds = divided.renumbered(glt_test::seeds_of(comm.rank(), step, list.num_vertices));
          sampler.sample(glt::host_view<glt::global_id const>(seeds), {.seed = 3, .step = step}, sample);
          std::vector<std::int64_t> const ids(sample.edge_ids().begin(), sample.edge_ids().end());
          auto const& rows = collector.collect(sample, step);
          CHECK(rows.tensors.size() == 3);
          CHECK(elements_of<float>(rows["small"]) == gathered<float>(whole, "small", ids));
          CHECK(elements_of<std::int64_t>(rows["year"]) == gathered<std::int64_t>(whole, "year", ids));
          CHECK(elements_of<double>(rows["title"]) == gathered<double>(whole, "title", ids));
          auto const& all = everything.collect(sample, step);
          CHECK(all.tensors.size() == 6);
          CHECK(elements_of<float>(all["dense"]) == gathered<float>(whole, "dense", ids));
          CHECK(elements_of<std::int8_t>(all["small"]) == gathered<std::int8_t>(whole, "small", ids));
          edges += std::ssize(ids);
        }
        CHECK(collector.counts().own + collector.counts().remote == edges);
      }
    }
  };
  glt_test::on_ranks(body, glt_test::up_to_five);
}

TEST_CASE("an edge costs 12 bytes out and the rows of all its tensors back") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::counting_comm counted(comm);
    glt::dist::named_features const features(counted, graph.book(), features_of(graph.local()));
    std::vector<glt::edge_id> ids;
    std::vector<glt::global_id> destinations;
    std::int64_t remote = 0;
    for (std::int64_t v = 0; v < 257; ++v) {
      auto const destination = divided.names.renumbered[v];
      for (auto e = divided.whole.view().offset(v); e < divided.whole.view().offset(v + 1); ++e) {
        ids.push_back(divided.whole.view().id_of_edge(e));
        destinations.push_back(destination);
        remote += graph.book().owner(destination) != comm.rank() ? 1 : 0;
      }
    }
    glt::dist::named_collector collector(counted, features, {{.name = "title"}, {.name = "year"}});
    counted.reset();
    auto const& rows = collector.collect(glt::host_view<glt::edge_id const>(ids),
                                         glt::host_view<glt::global_id const>(destinations), 0);
    CHECK(elements_of<std::int64_t>(rows["year"]) == gathered<std::int64_t>(whole_table(999), "year", ids));
    auto const headers = (comm.size() > 1 ? 2 : 0) * glt::detail::header_bytes * (comm.size() - 1);
    std::vector<std::int64_t> sums{counted.counts().total().bytes, headers + remote * (12 + 5 * 2 + 8)};
    comm.all_reduce(std::span(sums), glt::reduction::sum);
    CHECK(sums[0] == sums[1]);
    CHECK(collector.counts().remote == remote);
  });
}

TEST_CASE("a bad edge or wish of one rank is the same error on every rank, and the next call works") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const rank = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::named_features const features(comm, graph.book(), features_of(graph.local()));
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                            glt::dist::named_collector(comm, features, {{.name = comm.rank() == last ? "w" : "year"}});
                          }),
                          rank, "no features \"w\"", "\"title\""));
    glt::dist::named_collector collector(comm, features);
    auto const view = divided.whole.view();
    std::int64_t destination = 0;
    while (view.degree(destination) == 0) {
      ++destination;
    }
    auto const good = view.id_of_edge(view.offset(destination));
    auto const place = divided.names.renumbered[destination];
    auto const collect = [&](std::vector<glt::edge_id> const& ids, std::vector<glt::global_id> const& to) {
      return elements_of<std::int64_t>(collector.collect(glt::host_view<glt::edge_id const>(ids),
                                                         glt::host_view<glt::global_id const>(to), 1)["year"]);
    };
    auto const error = [&](std::vector<glt::edge_id> const& ids, std::vector<glt::global_id> const& to) {
      return glt_test::thrown<glt::collective_error>(
          [&] { static_cast<void>(comm.rank() == last ? collect(ids, to) : collect({good}, {place})); });
    };
    CHECK(glt_test::names(error({good, 370}, {place, place}), "has the id 370", "global edge ids"));
    CHECK(glt_test::names(error({good}, {}), rank, "1 edges with 0 destinations"));
    glt::host_view<glt::global_id const> const vertices(&place, 1);
    CHECK(glt_test::names(
        glt_test::thrown<glt::collective_error>([&] { static_cast<void>(collector.collect(vertices, 1)); }),
        "0 edges with 1 destinations"));
    glt::dist::named_features const of_vertices(comm, divided.names.book,
                                                glt_test::named_table(std::vector<std::int64_t>(
                                                    static_cast<std::size_t>(divided.names.book.size(comm.rank())))));
    glt::dist::named_collector by_vertex(comm, of_vertices);
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                            static_cast<void>(
                                by_vertex.collect(glt::host_view<glt::edge_id const>(&good, 1), vertices, 1));
                          }),
                          "the features are of vertices"));
    CHECK(glt_test::names(error({good}, {101}), rank, "destination 0 is 101"));
    CHECK(collect({good, good}, {place, place}) == gathered<std::int64_t>(whole_table(370), "year", {good, good}));
    if (comm.size() > 1) {
      auto alone = comm.split(comm.rank(), 0);
      CHECK(glt_test::names(
          glt_test::thrown<glt::collective_error>([&] { glt::dist::named_collector(alone, features); }), "by 1 ranks"));
      CHECK(glt_test::names(glt_test::thrown<glt::collective_error>(
                                [&] { glt::dist::named_features(alone, graph.book(), features_of(graph.local())); }),
                            "parts on 1 ranks"));
    }
  });
}
