// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/halo_values.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/naive_rules.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt::temporal_strategy;
using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

using rule = glt::temporal_rule<glt::memory_space::host>;

// Times of the edges of a list; many are equal.
std::vector<std::int64_t> edge_times(glt_test::edge_list const& list) {
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < list.num_edges(); ++e) {
    times.push_back(e * 37 % 101);
  }
  return times;
}

// Times of the seeds of a rank at a step: some are before, some after all edges.
std::vector<std::int64_t> times_of(std::vector<std::int64_t> const& seeds, int rank) {
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    times.push_back(static_cast<std::int64_t>(i) * 23 % 140 + rank - 10);
  }
  return times;
}

template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list,
                           glt_test::named_partitioner const& partitioner) {
  auto const times = edge_times(list);
  glt::buffer<cpu, std::int64_t> sorted_times;
  glt_test::compared_graph<Vertex> const compared(comm, list, partitioner, [&](divided_graph const& divided) {
    auto part = divided.template part<Vertex>(comm.rank());
    auto sorted = glt::sort_rows_by_time(part.graph.view(), glt::make_edge_values(part.graph.view(), times).view());
    part.graph = std::move(sorted.graph);
    sorted_times = std::move(sorted.times);
    return part;
  });
  for (auto const strategy : {temporal_strategy::uniform, temporal_strategy::last}) {
    for (bool const replace : {false, true}) {
      glt::neighbor_options const options{.fanouts = {4, 3, 2}, .replace = replace, .edge_ids = true, .disjoint = true};
      glt::dist::neighbor_sampler sampler(comm, compared.graph(), options, rule{sorted_times.view(), strategy});
      glt::sampled_subgraph<cpu, Vertex> out;
      compared.check(
          comm,
          [&](auto const& ids, auto const& seeds, auto key) {
            sampler.sample(ids, times_of(seeds, comm.rank()), key, out);
            return glt_test::plain(out, compared.original());
          },
          [&](auto const& seeds, auto key) {
            auto const seed_times = times_of(seeds, comm.rank());
            return glt_test::naive_temporal_sample(list, times, strategy, seeds, seed_times, options, key);
          },
          2);
    }
  }
}

} // namespace

TEST_CASE("distributed temporal sampling equals serial sampling, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        if (list.num_vertices <= 257) {
          check_equal_to_serial<glt::global_id>(comm, list, partitioner);
        }
      }
    }
    check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1]);
  });
}

TEST_CASE("times of vertices reach the edges of other ranks") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    auto const time_of = [](std::int64_t vertex) { return vertex * vertex % 97; };
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    auto part = divided.part(comm.rank());
    std::vector<std::int64_t> own;
    for (auto const vertex : part.original) {
      own.push_back(time_of(vertex));
    }
    auto const of_sources = glt::dist::make_source_values(comm, part.book, part.graph.view(), own);
    auto sorted = glt::sort_rows_by_time(part.graph.view(), of_sources.view());
    part.graph = std::move(sorted.graph);
    glt::dist::graph const graph(comm, std::move(part));
    glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true, .disjoint = true};
    glt::dist::neighbor_sampler sampler(comm, graph, options, rule{sorted.times.view()});
    glt::sampled_subgraph<cpu, glt::global_id> out;
    auto const seeds = glt_test::seeds_of(comm.rank(), 1, 257);
    auto const seed_times = times_of(seeds, comm.rank());
    sampler.sample(divided.renumbered(seeds), seed_times, {}, out);
    std::vector<std::int64_t> times;
    for (auto const source : list.sources) {
      times.push_back(time_of(source));
    }
    CHECK(glt_test::plain(out, divided.names.original) ==
          glt_test::naive_temporal_sample(list, times, temporal_strategy::uniform, seeds, seed_times, options, {}));
  });
}

TEST_CASE("missing times of one rank are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    std::vector<std::int64_t> const times(static_cast<std::size_t>(graph.local().num_edges()));
    glt::neighbor_options const options{.fanouts = {3, 2}, .disjoint = true};
    auto const no_times = glt_test::thrown<glt::collective_error>(
        [&] { glt::dist::neighbor_sampler(comm, graph, options, comm.rank() == last ? rule{} : rule{times}); });
    CHECK(glt_test::names(no_times, text, "0 times for"));

    glt::dist::neighbor_sampler sampler(comm, graph, options, rule{times});
    glt::sampled_subgraph<cpu, glt::global_id> out;
    std::vector<glt::global_id> const seeds{1, 2};
    std::vector<std::int64_t> seed_times{0, 0};
    if (comm.rank() == last) {
      seed_times.pop_back();
    }
    auto const no_time = glt_test::thrown<glt::collective_error>([&] { sampler.sample(seeds, seed_times, {}, out); });
    CHECK(glt_test::names(no_time, text));

    // All ranks are still together.
    seed_times.assign(2, 0);
    sampler.sample(seeds, seed_times, {}, out);
    CHECK(out.batch().size() == out.nodes().size());
  });
}
