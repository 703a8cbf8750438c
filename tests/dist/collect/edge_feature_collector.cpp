// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/edge_feature_collector.hpp>

#include <glt/comm/counting.hpp>
#include <glt/core/half.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/memory/copy.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

// What edge e has in column c: small integers, which every type holds.
template <class T>
T feature(glt::edge_id e, std::int64_t c) {
  return static_cast<T>(static_cast<float>((e * 7 + c * 3) % 113));
}

// The features of a part, in the order of its edges.
template <class T>
glt::edge_features<cpu, T> features_of(glt::csr_view<glt::memory_space::host, glt::global_id> graph,
                                       std::int64_t columns, std::vector<float> const& scales = {}) {
  std::vector<glt::edge_id> ids;
  std::vector<T> values;
  for (std::int64_t e = 0; e < graph.num_edges(); ++e) {
    ids.push_back(graph.id_of_edge(e));
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(feature<T>(ids.back(), c));
    }
  }
  return {glt::make_buffer<cpu>(ids),
          glt::feature_store<cpu, T>(graph.num_edges(), columns, glt::make_buffer<cpu>(values), {},
                                     glt::make_buffer<cpu>(scales))};
}

template <class T>
void check_samples(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                   std::vector<float> const& scales) {
  constexpr std::int64_t columns = 3;
  divided_graph const divided(list, partitioner, comm.size());
  glt::dist::graph graph(comm, divided.part(comm.rank()));
  glt::dist::edge_features const features(comm, graph.book(), features_of<T>(graph.local(), columns, scales));
  glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {4, 3}, .edge_ids = true});
  glt::dist::edge_feature_collector collector(comm, features, cpu(2));
  glt::sampled_subgraph<cpu, glt::global_id> sample;
  glt::dist::collected_rows<cpu, float> out;
  std::int64_t edges = 0;
  for (std::int64_t step = 0; step < 3; ++step) {
    auto const seeds = divided.renumbered(glt_test::seeds_of(comm.rank(), step, list.num_vertices));
    sampler.sample(glt::host_view<glt::global_id const>(seeds), {.seed = 3, .step = step}, sample);
    collector.collect(sample, step, out);
    std::vector<float> expected;
    for (auto const id : sample.edge_ids()) {
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const scale = scales.empty() ? 1 : scales[static_cast<std::size_t>(c)];
        expected.push_back(feature<float>(id, c) * scale);
      }
    }
    CHECK(glt_test::to_vector(out.features) == expected);
    CHECK(out.labels.empty());
    edges += sample.edge_ids().size();
  }
  CHECK(collector.counts().own + collector.counts().remote == edges);
}

} // namespace

TEST_CASE("sampled edges get their own features, whatever the type, the partition and the place in it") {
  glt_test::on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        INFO(list.name, ", ", partitioner.name);
        check_samples<float>(comm, list, partitioner, {});
      }
      auto const list = glt_test::random_graph(257, 999);
      check_samples<glt::bfloat16>(comm, list, partitioner, {});
      check_samples<std::int8_t>(comm, list, partitioner, {0.5F, 2, 0});
      check_samples<std::int64_t>(comm, list, partitioner, {});
    }
  });
  glt_test::on_ranks_limited([](auto comm) {
    check_samples<float>(comm, glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], {});
  });
}

TEST_CASE("an id is never taken for a place: the features of a part's first edges are those of their ids") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::edge_features const features(comm, graph.book(), features_of<float>(graph.local(), 1));
        auto const local = graph.local();
        std::vector<glt::edge_id> ids;
        std::vector<glt::global_id> destinations;
        std::vector<float> expected;
        std::int64_t misplaced = 0;
        for (std::int64_t row = 0; row < local.num_rows(); ++row) {
          for (auto e = local.offset(row); e < local.offset(row + 1); ++e) {
            ids.push_back(local.id_of_edge(e));
            destinations.push_back(graph.book().begin(comm.rank()) + row);
            expected.push_back(feature<float>(ids.back(), 0));
            misplaced += ids.back() == e ? 0 : 1;
          }
        }
        CHECK(misplaced > 100); // places would give the features of other edges
        glt::dist::edge_feature_collector collector(comm, features);
        glt::dist::collected_rows<cpu, float> out;
        collector.collect(glt::host_view<glt::edge_id const>(ids), glt::host_view<glt::global_id const>(destinations),
                          0, out);
        CHECK(glt_test::to_vector(out.features) == expected);
        CHECK(collector.counts().remote == 0);
      },
      {2, 3, 4});
}

TEST_CASE("an edge costs 12 bytes out and its row back, own edges nothing") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::counting_comm counted(comm);
    glt::dist::edge_features const features(counted, graph.book(), features_of<glt::float16>(graph.local(), 5));
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
    glt::dist::edge_feature_collector collector(counted, features);
    glt::dist::collected_rows<cpu, float> out;
    counted.reset();
    collector.collect(glt::host_view<glt::edge_id const>(ids), glt::host_view<glt::global_id const>(destinations), 0,
                      out);
    auto const headers = (comm.size() > 1 ? 2 : 0) * glt::detail::header_bytes * (comm.size() - 1);
    std::vector<std::int64_t> sums{counted.counts().total().bytes, headers + remote * (12 + 5 * 2)};
    comm.all_reduce(std::span(sums), glt::reduction::sum);
    CHECK(sums[0] == sums[1]);
    CHECK(collector.counts().remote == remote);
  });
}

TEST_CASE("a bad edge of one rank is the same error on every rank, and the next call works") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::edge_features const features(comm, graph.book(), features_of<float>(graph.local(), 2));
    glt::dist::edge_feature_collector collector(comm, features);
    glt::dist::collected_rows<cpu, float> out;
    auto const view = divided.whole.view();
    std::int64_t destination = 0;
    while (view.degree(destination) == 0) {
      ++destination;
    }
    auto const good = view.id_of_edge(view.offset(destination));
    auto const place = divided.names.renumbered[destination];
    auto const collect = [&](std::vector<glt::edge_id> const& ids, std::vector<glt::global_id> const& to) {
      collector.collect(glt::host_view<glt::edge_id const>(ids), glt::host_view<glt::global_id const>(to), 1, out);
    };
    auto const error = [&](std::vector<glt::edge_id> const& ids, std::vector<glt::global_id> const& to) {
      return glt_test::thrown<glt::collective_error>(
          [&] { comm.rank() == last ? collect(ids, to) : collect({good}, {place}); });
    };
    CHECK(glt_test::names(error({good, 370}, {place, place}), "has the id 370", "global edge ids"));
    CHECK(glt_test::names(error({good}, {}), "rank " + std::to_string(last), "1 edges with 0 destinations"));
    CHECK(glt_test::names(error({good}, {101}), "rank " + std::to_string(last), "destination 0 is 101"));
    collect({good, good}, {place, place});
    CHECK(glt_test::to_vector(out.features) == std::vector<float>{feature<float>(good, 0), feature<float>(good, 1),
                                                                  feature<float>(good, 0), feature<float>(good, 1)});
    glt::sampled_subgraph<cpu, glt::global_id> sample;
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3}});
    std::vector<glt::global_id> const seeds{place};
    sampler.sample(glt::host_view<glt::global_id const>(seeds), {.seed = 3}, sample);
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { collector.collect(sample, 2, out); }),
                          "0 edges with"));
    auto alone = comm.split(comm.rank(), 0);
    if (comm.size() > 1) {
      CHECK(glt_test::names(
          glt_test::thrown<glt::precondition_error>([&] { glt::dist::edge_feature_collector(alone, features); }),
          "by 1 ranks"));
    }
  });
}
