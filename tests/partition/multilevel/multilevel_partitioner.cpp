// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/cuts.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(partitioner<multilevel_partitioner<>, local_id> && partitioner<multilevel_partitioner<>, global_id>);

namespace {

auto planted(std::int64_t num_vertices, std::int64_t num_communities) {
  auto const made = make_planted_communities(
      {.num_vertices = num_vertices, .num_communities = num_communities, .in_degree = 8, .out_degree = 2});
  return make_csr<device::cpu>(symmetrize(made.graph.view()).view());
}

/// The smallest graph goes round robin, so only the refinement looks at edges.
struct round_robin_coarsest {
  buffer<device::cpu, local_id> operator()(weighted_graph const& graph, balance_constraints const&, int num_parts,
                                           std::uint64_t) const {
    buffer<device::cpu, local_id> part_of(graph.rows.view().num_rows());
    for (std::int64_t v = 0; v < part_of.size(); ++v) {
      part_of[v] = static_cast<local_id>(v % num_parts);
    }
    return part_of;
  }
};
static_assert(detail::coarsest_partitioner<round_robin_coarsest> && detail::coarsest_partitioner<greedy_coarsest>);

} // namespace

TEST_CASE("every vertex gets a part below the capacity, always the same, and no part is empty") {
  auto graphs = adversarial_graphs();
  graphs.push_back(random_graph(1001, 5003));
  for (auto const& graph : graphs) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    auto const check = [&](auto const& options, int num_parts) {
      CAPTURE(num_parts);
      auto const part_of = options(rows.view(), num_parts);
      REQUIRE(part_of.size() == graph.num_vertices);
      REQUIRE(std::ranges::all_of(part_of, [&](local_id part) { return part >= 0 && part < num_parts; }));
      auto const sizes = sizes_of_parts(part_of.view(), num_parts);
      CHECK(std::ranges::max(sizes) <= detail::part_capacity(graph.num_vertices, 1, options.capacity_slack, num_parts));
      CHECK(std::ranges::count(sizes, 0) == std::max<std::int64_t>(num_parts - graph.num_vertices, 0));
      CHECK(to_vector(part_of) == to_vector(options(rows.view(), num_parts)));
    };
    for (int const num_parts : {1, 2, 3, 5, 70}) {
      check(multilevel_partitioner<>{}, num_parts);
      check(multilevel_partitioner<>{.seed = 7, .capacity_slack = 0, .clustering_rounds = 1, .refinement_rounds = 1},
            num_parts);
      check(multilevel_partitioner<round_robin_coarsest>{}, num_parts);
    }
  }
}

TEST_CASE("directions and the width of ids make no difference") {
  auto const graph = random_graph(501, 3001);
  auto turned = graph;
  std::swap(turned.sources, turned.destinations);
  std::ranges::reverse(turned.sources);
  std::ranges::reverse(turned.destinations);
  std::vector<global_id> const sources(graph.sources.begin(), graph.sources.end());
  std::vector<global_id> const destinations(graph.destinations.begin(), graph.destinations.end());
  auto const wide = make_csr<device::cpu>(coo_view<memory_space::host, global_id>(501, sources, destinations));
  auto const expected = to_vector(multilevel_partitioner<>{}(make_csr<device::cpu>(graph.view()).view(), 4));
  CHECK(to_vector(multilevel_partitioner<>{}(make_csr<device::cpu>(turned.view()).view(), 4)) == expected);
  CHECK(to_vector(multilevel_partitioner<>{}(wide.view(), 4)) == expected);
}

TEST_CASE("the pieces in which rows come make no difference") {
  auto const rows = planted(5003, 11);
  multilevel_partitioner<> const options{.balance = {balance_limit::edges(rows.view())}};
  auto rounds = options.stream(5003, 3);
  while (rounds.wants_round()) {
    for (std::int64_t first = 0; first < 5003;) {
      auto const last = std::min<std::int64_t>(first + 1 + first % 97, 5003);
      std::vector<edge_offset> offsets;
      for (auto v = first; v <= last; ++v) {
        offsets.push_back(rows.view().offset(v) - rows.view().offset(first));
      }
      rounds.see_rows(first,
                      csr_view<memory_space::host>(
                          5003, offsets, rows.view().sources().subview(rows.view().offset(first), offsets.back())));
      first = last;
    }
    rounds.finish_round();
  }
  auto limits = options.balance;
  limits.push_back(balance_limit::vertices());
  CHECK(to_vector(repair_balance(rows.view(), std::move(rounds).result(), limits, 3)) ==
        to_vector(options(rows.view(), 3)));
}

TEST_CASE("communities are found again: hardly more edges are cut than by LDG at its best, and mostly fewer") {
  for (std::int64_t const vertices : {2003, 20'011}) { // above and below the size that is not contracted again
    auto const rows = planted(vertices, 40);
    for (int const num_parts : {2, 4, 8}) {
      CAPTURE(vertices);
      CAPTURE(num_parts);
      auto const ldg = cut_fraction(rows.view(), ldg_partitioner{}(rows.view(), num_parts).view());
      for (std::uint64_t const seed : {1U, 2U}) {
        auto const part_of = multilevel_partitioner<>{.seed = seed}(rows.view(), num_parts);
        CHECK(cut_fraction(rows.view(), part_of.view()) < 0.25);
        CHECK(cut_fraction(rows.view(), part_of.view()) < 1.15 * ldg);
      }
    }
  }
}

TEST_CASE("limits on edges, types and weights are kept together") {
  auto const rows = planted(6007, 30);
  std::vector<std::int32_t> types;
  std::vector<std::int64_t> cost;
  for (std::int64_t v = 0; v < 6007; ++v) {
    types.push_back(v % 5 == 0 ? 1 : 0);
    cost.push_back(v % 7 * 1'000'000'000);
  }
  balance_constraints const limits{balance_limit::edges(rows.view(), 0.05),
                                   balance_limit::types(host_view<std::int32_t const>(types), 2, 0.05),
                                   balance_limit::weights("cost", host_view<std::int64_t const>(cost), 0.05)};
  for (int const num_parts : {2, 7}) {
    auto const part_of = multilevel_partitioner<>{.balance = limits}(rows.view(), num_parts);
    detail::balance_loads loads(limits, 6007, num_parts);
    for (std::int64_t v = 0; v < 6007; ++v) {
      loads.weigh(v);
      loads.add(static_cast<std::size_t>(part_of[v]));
    }
    CHECK(loads.excess() == 0);
    CHECK(std::ranges::max(sizes_of_parts(part_of.view(), num_parts)) <=
          detail::part_capacity(6007, 1, 0.05, num_parts));
    CHECK(cut_fraction(rows.view(), part_of.view()) < 0.75 * (1 - 1.0 / num_parts));
  }
}

TEST_CASE("a weight that fills a part alone stays alone, and a limit without weight is ignored") {
  auto const rows = planted(4001, 8);
  std::vector<std::int64_t> cost(4001, 1);
  cost[17] = 4000;
  std::vector<std::int64_t> const none(4001, 0);
  auto const part_of = multilevel_partitioner<>{
      .capacity_slack = 10,
      .balance = {balance_limit::weights("cost", host_view<std::int64_t const>(cost), 0.1),
                  balance_limit::weights("none", host_view<std::int64_t const>(none))}}(rows.view(), 2);
  auto const costs =
      weights_of_parts(part_of.view(), 2, [&](std::int64_t v) { return cost[static_cast<std::size_t>(v)]; });
  CHECK(std::ranges::max(costs) <= 4400);
}

TEST_CASE("bad options are refused with their value") {
  auto const rows = make_csr<device::cpu>(random_graph(11, 30).view());
  auto const complaint = [&](multilevel_partitioner<> const& options, int num_parts = 2) {
    return thrown<precondition_error>([&] { static_cast<void>(options(rows.view(), num_parts)); });
  };
  CHECK(names(complaint({}, 0), "0 parts"));
  CHECK(names(complaint({.capacity_slack = -0.25}), "multilevel", "-0.25"));
  CHECK(names(complaint({.clustering_rounds = 0}), "0 clustering rounds"));
  CHECK(names(complaint({.refinement_rounds = -1}), "-1 refinement rounds"));
  CHECK(names(complaint({.balance = {balance_limit::vertices(-1)}}), "vertices", "-1"));
  CHECK(names(thrown<precondition_error>(
                  [] { static_cast<void>(multilevel_partitioner<>{}.stream(std::int64_t{1} << 40, 2)); }),
              "number of vertices", "1099511627776"));
  csr_view<memory_space::host> const wide(500, rows.view().offsets(), rows.view().sources());
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(multilevel_partitioner<>{}(wide, 2)); }),
              "500 columns"));
}
