// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/metis/partitioner.hpp>

#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/cuts.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/public_data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(detail::coarsest_partitioner<metis_partitioner>);
static_assert(partitioner<metis_partitioner, local_id> && partitioner<metis_partitioner, global_id>);

TEST_CASE("every vertex gets a part, and always the same one") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    auto const check = [&](metis_partitioner const& options, int num_parts) {
      CAPTURE(num_parts);
      auto const part_of = to_vector(options(rows.view(), num_parts));
      REQUIRE(static_cast<std::int64_t>(part_of.size()) == graph.num_vertices);
      CHECK(std::ranges::all_of(part_of, [&](local_id part) { return part >= 0 && part < num_parts; }));
      CHECK(part_of == to_vector(options(rows.view(), num_parts)));
    };
    for (int const num_parts : {1, 2, 3, 5, 70}) {
      check({}, num_parts);
    }
    for (int const num_parts : {1, 4}) {
      check({.objective = glt::metis_partitioner::goal::communication_volume, .cuts = 2}, num_parts);
      check({.balance = {balance_limit::edges(rows.view())}}, num_parts);
    }
  }
}

TEST_CASE("directions, the width of ids and the order of edges make no difference") {
  auto const graph = random_graph(501, 3001);
  auto turned = graph;
  std::swap(turned.sources, turned.destinations);
  std::ranges::reverse(turned.sources);
  std::ranges::reverse(turned.destinations);
  std::vector<global_id> const sources(graph.sources.begin(), graph.sources.end());
  std::vector<global_id> const destinations(graph.destinations.begin(), graph.destinations.end());
  auto const wide = make_csr<device::cpu>(coo_view<memory_space::host, global_id>(501, sources, destinations));
  auto const expected = to_vector(metis_partitioner{}(make_csr<device::cpu>(graph.view()).view(), 4));
  CHECK(to_vector(metis_partitioner{}(make_csr<device::cpu>(turned.view()).view(), 4)) == expected);
  CHECK(to_vector(metis_partitioner{}(wide.view(), 4)) == expected);
}

TEST_CASE("communities are found again, whatever the seed") {
  auto const planted =
      make_planted_communities({.num_vertices = 2003, .num_communities = 4, .in_degree = 8, .out_degree = 1});
  auto const rows = make_csr<device::cpu>(planted.graph.view());
  for (std::uint64_t const seed : {1, 2, 3}) {
    auto const part_of = metis_partitioner{.seed = seed}(rows.view(), 4);
    CHECK(cut_fraction(rows.view(), part_of.view()) < 0.13);           // 1 of 9 edges comes from outside
    CHECK(std::ranges::max(sizes_of_parts(part_of.view(), 4)) <= 530); // 500.75 · 1.03, and some for METIS
  }
}

TEST_CASE("METIS divides the smallest graph of the multilevel partitioner") {
  auto const planted =
      make_planted_communities({.num_vertices = 20'011, .num_communities = 8, .in_degree = 8, .out_degree = 1});
  auto const rows = make_csr<device::cpu>(planted.graph.view());
  std::vector<std::int64_t> const heavy(20'011, std::int64_t{1} << 40); // more than 32-bit integers can count
  multilevel_partitioner<metis_partitioner> const options{
      .balance = {balance_limit::weights("heavy", host_view<std::int64_t const>(heavy))}};
  auto const part_of = options(rows.view(), 4);
  CHECK(cut_fraction(rows.view(), part_of.view()) < 0.13);
  CHECK(std::ranges::max(sizes_of_parts(part_of.view(), 4)) <= detail::part_capacity(20'011, 1, 0.05, 4));
  CHECK(to_vector(part_of) == to_vector(options(rows.view(), 4)));
  auto const bad = [&](metis_partitioner const& coarsest) {
    return thrown<precondition_error>(
        [&] { static_cast<void>(multilevel_partitioner<metis_partitioner>{.coarsest = coarsest}(rows.view(), 2)); });
  };
  CHECK(names(bad({.cuts = 0}), "0 cuts"));
}

TEST_CASE("limits on edges and types are aimed at") {
  auto const graph = random_graph(3001, 20'011);
  auto const rows = make_csr<device::cpu>(graph.view());
  std::vector<std::int32_t> types;
  for (std::int64_t v = 0; v < 3001; ++v) {
    types.push_back(v < 2000 ? 0 : 1);
  }
  auto const of_type = [&](std::int32_t type) {
    return [&types, type](std::int64_t v) { return types[static_cast<std::size_t>(v)] == type ? 1 : 0; };
  };
  auto const part_of =
      metis_partitioner{.balance = {balance_limit::edges(rows.view()),
                                    balance_limit::types(host_view<std::int32_t const>(types), 2)}}(rows.view(), 4);
  auto const edges = weights_of_parts(part_of.view(), 4, [&](std::int64_t v) { return rows.view().degree(v); });
  CHECK(std::ranges::max(edges) < 1.1 * 20'011 / 4);
  CHECK(std::ranges::max(weights_of_parts(part_of.view(), 4, of_type(0))) < 1.1 * 2000 / 4);
  CHECK(std::ranges::max(weights_of_parts(part_of.view(), 4, of_type(1))) < 1.1 * 1001 / 4);
}

TEST_CASE("many parts keep the capacity, and none is empty") {
  auto const check = [](auto const& rows, double slack, int num_parts) {
    CAPTURE(num_parts);
    auto const part_of = metis_partitioner{.capacity_slack = slack}(rows.view(), num_parts);
    auto const sizes = sizes_of_parts(part_of.view(), num_parts);
    CHECK(std::ranges::min(sizes) >= 1);
    CHECK(std::ranges::max(sizes) <= detail::part_capacity(rows.view().num_rows(), 1, slack, num_parts));
  };
  std::vector<local_id> sources;
  std::vector<local_id> destinations;
  for (local_id u = 0; u < 20; ++u) {
    for (local_id v = 0; v < 20; ++v) {
      if (u != v) {
        sources.push_back(u);
        destinations.push_back(v);
      }
    }
  }
  auto const complete = make_csr<device::cpu>(coo_view<memory_space::host, local_id>(
      20, host_view<local_id const>(sources), host_view<local_id const>(destinations)));
  for (int const num_parts : {3, 7, 11, 13, 19, 20}) {
    check(complete, 0, num_parts);
  }
  check(make_csr<device::cpu>(random_graph(1000, 5000).view()), 0.03, 700);
  check(make_csr<device::cpu>(random_graph(400, 3000).view()), 0.03, 150);
}

TEST_CASE("bad options, bad graphs and graphs beyond METIS's integers are refused") {
  auto const rows = make_csr<device::cpu>(random_graph(101, 300).view());
  auto const complaint = [&](metis_partitioner const& options, int num_parts = 2) {
    return thrown<precondition_error>([&] { static_cast<void>(options(rows.view(), num_parts)); });
  };
  CHECK(names(complaint({}, 0), "0 parts"));
  CHECK(names(complaint({.capacity_slack = -0.5}), "METIS", "-0.5"));
  CHECK(names(complaint({.cuts = 0}), "0 cuts"));
  CHECK(names(complaint({.refinements = -1}), "-1 refinements"));
  CHECK(names(complaint({.balance = {balance_limit::vertices(-2)}}), "-2"));
  csr_view<memory_space::host> const wide(500, rows.view().offsets(), rows.view().sources());
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(metis_partitioner{}(wide, 2)); }), "500 columns"));
  if constexpr (sizeof(idx_t) == 4) {
    edge_offset const offset = 0;
    global_id const source = 0;
    csr_view<memory_space::host, global_id> const huge(9, {&offset, 10}, {&source, std::int64_t{1} << 30});
    CHECK(names(thrown<precondition_error>([&] { static_cast<void>(metis_partitioner{}(huge, 2)); }), "2147483648",
                "fennel_partitioner"));
  }
}

TEST_CASE("webgraph-dblp-2010 in 4 parts: METIS cuts fewest edges, then LDG and Fennel, then hashing" *
          doctest::test_suite("data webgraph-dblp-2010")) {
  auto const folder = public_data("webgraph-dblp-2010");
  if (!folder) {
    return;
  }
  auto const edges = io::read_npy<std::int64_t>(*folder / "edge_index.npy", 2);
  auto const rows = make_csr<device::cpu>(
      coo_view<memory_space::host, global_id>(326'186, edges.matrix().row(0), edges.matrix().row(1)));
  auto const cut = [&](auto const& partitioner) {
    return cut_fraction(rows.view(), partitioner(rows.view(), 4).view());
  };
  auto const metis = cut(metis_partitioner{});
  auto const ldg = cut(ldg_partitioner{});
  auto const ldg_once = cut(ldg_partitioner{.passes = 1});
  auto const fennel = cut(fennel_partitioner{});
  CHECK(cut(multilevel_partitioner<metis_partitioner>{}) <= 1.3 * metis);
  CHECK(cut(multilevel_partitioner<>{}) <= 1.3 * metis);
  auto const hash = cut(hash_partitioner{});
  CHECK(metis < 0.07);
  CHECK(metis <= ldg);
  CHECK(ldg <= ldg_once);
  CHECK(ldg_once <= hash);
  CHECK(fennel <= hash);
  CHECK(hash > 0.74);
}
