// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/frequency_partition.hpp>

#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>
#include <glt/sample/hotness/hotness.hpp>

#include "support/cuts.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using glt::device::cpu;

static_assert(glt::partitioner<glt::dist::frequency_partitioner<>, glt::local_id> &&
              glt::partitioner<glt::dist::frequency_partitioner<>, glt::global_id> &&
              glt::partitioner<glt::dist::frequency_partitioner<glt::ldg_partitioner>>);

namespace {

std::vector<glt::global_id> every(std::int64_t step, std::int64_t num_vertices) {
  std::vector<glt::global_id> seeds;
  for (std::int64_t v = 0; v < num_vertices; v += step) {
    seeds.push_back(v);
  }
  return seeds;
}

// The estimates of each part one after the other, then the assignment.
std::vector<glt::local_id> naive(glt::csr_view<glt::memory_space::host> graph, std::vector<glt::global_id> const& seeds,
                                 std::vector<glt::local_id> const& part_of_seed, glt::hotness_options const& options,
                                 int num_parts) {
  std::vector<double> hotness;
  for (int part = 0; part < num_parts; ++part) {
    std::vector<glt::local_id> own;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      if (part_of_seed[i] == part) {
        own.push_back(static_cast<glt::local_id>(seeds[i]));
      }
    }
    auto const estimate = glt::estimate_hotness<cpu>(graph, own, options);
    hotness.insert(hotness.end(), estimate.begin(), estimate.end());
  }
  return glt_test::to_vector(
      glt::detail::assign_by_hotness(glt::host_matrix<double const>(hotness.data(), num_parts, graph.num_rows())));
}

} // namespace

TEST_CASE("frequency: seeds are dealt, every part's hotness is estimated, and the hottest part wins") {
  glt::hotness_options const hotness{.neighbors = {.fanouts = {3, 2}}, .batch_size = 5};
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view());
    auto const seeds = every(3, list.num_vertices);
    for (int const parts : {1, 2, 5}) {
      std::vector<glt::local_id> in_ranges;
      std::vector<glt::local_id> hashed;
      auto const ranges = glt::contiguous_partitioner{}(
          glt::make_csr<cpu>(glt_test::edge_list{"", static_cast<std::int64_t>(seeds.size()), {}, {}}.view()).view(),
          parts);
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        in_ranges.push_back(ranges[static_cast<std::int64_t>(i)]);
        hashed.push_back(glt::hash_partitioner{}.part_of(seeds[i], parts));
      }
      glt::dist::frequency_partitioner<> const by_range{.seeds = seeds, .hotness = hotness};
      CHECK(glt_test::to_vector(by_range(graph.view(), parts)) ==
            naive(graph.view(), seeds, in_ranges, hotness, parts));
      glt::dist::frequency_partitioner<glt::hash_partitioner> const by_hash{.seeds = seeds, .hotness = hotness};
      CHECK(glt_test::to_vector(by_hash(graph.view(), parts)) == naive(graph.view(), seeds, hashed, hotness, parts));
      auto threaded = by_hash;
      threaded.policy = cpu(3);
      CHECK(glt_test::to_vector(threaded(graph.view(), parts)) == glt_test::to_vector(by_hash(graph.view(), parts)));
    }
  }
}

TEST_CASE("frequency: a part owns most of what its own seeds reach") {
  auto const planted =
      glt::make_planted_communities({.num_vertices = 2003, .num_communities = 4, .in_degree = 8, .out_degree = 1});
  auto const graph = glt::make_csr<cpu>(glt::symmetrize(planted.graph.view()).view());
  // One tenth of the vertices are seeds, listed community by community.
  std::vector<glt::global_id> seeds;
  for (int community = 0; community < 4; ++community) {
    for (std::int64_t v = 0; v < 2003; v += 10) {
      if (planted.community[v] == community) {
        seeds.push_back(v);
      }
    }
  }
  auto const part_of =
      glt::dist::frequency_partitioner<>{.seeds = seeds,
                                         .hotness = {.neighbors = {.fanouts = {5, 5}}, .batch_size = 16},
                                         .capacity_slack = 0.1}(graph.view(), 4);
  CHECK(glt_test::cut_fraction(graph.view(), part_of.view()) < 0.35); // at random: 0.75
  CHECK(std::ranges::max(glt_test::sizes_of_parts(part_of.view(), 4)) <= 551);
}

TEST_CASE("frequency: wrong seeds and options are refused") {
  auto const graph = glt::make_csr<cpu>(glt_test::random_graph(101, 370).view());
  std::vector<glt::global_id> const seeds{4, 101};
  std::vector<glt::global_id> const good{4};
  glt::hotness_options const hotness{.neighbors = {.fanouts = {2}}};
  auto const complaint = [&](glt::dist::frequency_partitioner<> const& options, int parts = 2) {
    return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(options(graph.view(), parts)); });
  };
  CHECK(glt_test::names(complaint({.seeds = seeds, .hotness = hotness}), "seed 1 is 101", "[0, 101)"));
  CHECK(glt_test::names(complaint({.seeds = good}), "no fanouts"));
  CHECK(glt_test::names(complaint({.seeds = good, .hotness = hotness}, 0), "0 parts"));
  CHECK(glt_test::names(complaint({.seeds = good, .hotness = hotness, .capacity_slack = -1}), "-1"));
  CHECK(glt_test::names(complaint({.seeds = good, .hotness = hotness, .balance = {glt::balance_limit::vertices(-2)}}),
                        "-2"));
  glt::csr_view<glt::memory_space::host> const wide(500, graph.view().offsets(), graph.view().sources());
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          static_cast<void>(glt::dist::frequency_partitioner<>{.hotness = hotness}(wide, 2));
                        }),
                        "500 columns"));
}
