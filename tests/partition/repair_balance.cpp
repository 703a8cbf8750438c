// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/partition/repair_balance.hpp>

#include <doctest/doctest.h>

#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using glt_test::names;
using glt_test::thrown;

namespace {

using assignment = buffer<device::cpu, local_id>;

assignment parts_of(std::vector<local_id> const& parts) {
  return make_buffer<device::cpu>(parts);
}

balance_constraints limits_of(csr_view<memory_space::host, local_id> graph, double slack = 0.05) {
  balance_constraints limits;
  limits.push_back(balance_limit::vertices(slack));
  limits.push_back(balance_limit::edges(graph, slack));
  return limits;
}

struct loads {
  std::vector<std::int64_t> vertices, edges;
  std::int64_t cut = 0;
};

loads loads_of(csr_view<memory_space::host, local_id> graph, host_view<local_id const> part_of, int num_parts) {
  auto const parts = static_cast<std::size_t>(num_parts);
  loads found{std::vector<std::int64_t>(parts), std::vector<std::int64_t>(parts)};
  for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
    auto const row = graph.row(v);
    ++found.vertices[static_cast<std::size_t>(part_of[v])];
    found.edges[static_cast<std::size_t>(part_of[v])] += row.size();
    found.cut += std::ranges::count_if(row, [&](auto u) { return part_of[u] != part_of[v]; });
  }
  return found;
}

std::int64_t most(std::vector<std::int64_t> const& values) {
  return *std::ranges::max_element(values);
}

} // namespace

TEST_CASE("parts that a partitioner leaves too full keep all limits") {
  auto const edges = make_rmat<local_id>({.scale = 10, .edge_factor = 16});
  auto const graph = make_csr<device::cpu>(edges.view());
  auto const view = graph.view();
  int repaired = 0;
  for (int const num_parts : {2, 5}) {
    fennel_partitioner fennel{.capacity_slack = 0.05, .order = stream_order::natural};
    fennel.balance.push_back(balance_limit::edges(view));
    auto part_of = fennel(view, num_parts);
    auto const before = loads_of(view, part_of.view(), num_parts);
    auto const share_of = [&](std::int64_t total) { return (total * 105 + 100 * num_parts - 1) / (100 * num_parts); };
    repaired += most(before.vertices) > share_of(view.num_rows()) || most(before.edges) > share_of(view.num_edges());
    auto const first = repair_balance(view, std::move(part_of), limits_of(view), num_parts);
    auto const after = loads_of(view, first.view(), num_parts);
    CHECK(most(after.vertices) <= share_of(view.num_rows()));
    CHECK(most(after.edges) <= share_of(view.num_edges()));
    CHECK(after.cut < before.cut + before.cut / 5);
    assignment copy(first.size());
    std::ranges::copy(first, copy.begin());
    CHECK(std::ranges::equal(repair_balance(view, std::move(copy), limits_of(view), num_parts), first));
  }
  CHECK(repaired > 0); // else nothing was tested
}

TEST_CASE("the vertex goes whose move cuts least") {
  // Two triangles and a tail: 0 1 2 | 3 4 5, and 6 hangs on 5 but is in the first part, which has too many.
  std::vector<local_id> const from{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 5, 6};
  std::vector<local_id> const to{1, 2, 0, 2, 0, 1, 4, 5, 3, 5, 3, 4, 6, 5};
  auto const graph = make_csr<device::cpu>(
      coo_view<memory_space::host, local_id>(8, host_view<local_id const>(from), host_view<local_id const>(to)));
  balance_constraints limits;
  limits.push_back(balance_limit::vertices(0));
  auto const made = repair_balance(graph.view(), parts_of({0, 0, 0, 1, 1, 1, 0, 0}), limits, 2);
  CHECK(std::ranges::equal(made, std::vector<local_id>{0, 0, 0, 1, 1, 1, 1, 0}));
}

TEST_CASE("limits that cannot be kept make nothing worse, and limits that hold move nothing") {
  // Every edge ends in vertex 0.
  std::vector<local_id> const from{1, 2, 3, 4};
  std::vector<local_id> const to(4, 0);
  auto const graph = make_csr<device::cpu>(
      coo_view<memory_space::host, local_id>(5, host_view<local_id const>(from), host_view<local_id const>(to)));
  std::vector<local_id> const even{0, 1, 0, 1, 0};
  CHECK(std::ranges::equal(repair_balance(graph.view(), parts_of(even), limits_of(graph.view()), 2), even));
  CHECK(std::ranges::equal(repair_balance(graph.view(), parts_of(even), {}, 2), even));

  // 8 in two parts are never 4 and 4.
  std::vector<std::int64_t> const heavy{3, 0, 3, 0, 2};
  balance_constraints limits;
  limits.push_back(balance_limit::weights("load", host_view<std::int64_t const>(heavy), 0));
  auto const made = repair_balance(graph.view(), parts_of({0, 0, 0, 1, 1}), limits, 2);
  std::vector<std::int64_t> load(2);
  for (std::int64_t v = 0; v < 5; ++v) {
    load[static_cast<std::size_t>(made[v])] += heavy[static_cast<std::size_t>(v)];
  }
  CHECK(most(load) == 5);
}

TEST_CASE("a limit on vertices is kept with any number of parts, and no part stays empty") {
  auto const edges = make_rmat<local_id>({.scale = 9, .edge_factor = 4});
  auto const graph = make_csr<device::cpu>(edges.view());
  auto const n = graph.view().num_rows();
  for (int const num_parts : {7, 150, 400, 511, 512}) {
    for (double const slack : {0.0, 0.05, 1.0}) {
      CAPTURE(num_parts);
      balance_constraints limits;
      limits.push_back(balance_limit::vertices(slack));
      std::vector<local_id> parts(static_cast<std::size_t>(n), 0);
      for (std::size_t v = 0; v < parts.size(); v += 5) {
        parts[v] = static_cast<local_id>(v) % 5;
      }
      auto const made = repair_balance(graph.view(), parts_of(parts), limits, num_parts);
      auto const sizes = loads_of(graph.view(), made.view(), num_parts).vertices;
      CHECK(most(sizes) <= detail::part_capacity(n, 1, slack, num_parts));
      CHECK(*std::ranges::min_element(sizes) >= 1);
    }
  }
  // More parts than vertices: nothing is to be filled.
  balance_constraints limits;
  limits.push_back(balance_limit::vertices(0));
  auto const made =
      repair_balance(graph.view(), parts_of(std::vector<local_id>(static_cast<std::size_t>(n), 3)), limits, 600);
  CHECK(most(loads_of(graph.view(), made.view(), 600).vertices) == 1);
}

TEST_CASE("parts that are none, or not one for each vertex, are refused") {
  auto const edges = make_rmat<local_id>({.scale = 3, .edge_factor = 2});
  auto const graph = make_csr<device::cpu>(edges.view());
  auto const fault = [&](std::vector<local_id> const& parts, int num_parts) {
    return thrown<precondition_error>(
        [&] { static_cast<void>(repair_balance(graph.view(), parts_of(parts), limits_of(graph.view()), num_parts)); });
  };
  CHECK(names(fault(std::vector<local_id>(7), 2), "parts of 7 vertices", "8"));
  CHECK(names(fault({0, 0, 0, 2, 0, 0, 0, 0}, 2), "vertex 3 is in part 2"));
  CHECK(names(fault(std::vector<local_id>(8), 0), "into 0 parts"));
}
