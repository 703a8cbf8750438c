// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/cuts.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/naive_stream.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/graph/generators.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::vector<local_id> naive(csr_view<memory_space::host> graph, ldg_partitioner const& options, int num_parts) {
  auto const n = graph.num_rows();
  auto const capacity =
      std::min(std::ceil((1 + options.capacity_slack) * static_cast<double>(n) / num_parts), static_cast<double>(n));
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (options.order == stream_order::random) {
    auto const shuffled = detail::make_random_permutation<local_id>(n, random_key(options.seed));
    order.assign(shuffled.begin(), shuffled.end());
  }
  return naive_stream(graph, order, options.passes, num_parts, capacity, options.balance,
                      [&](double neighbors, double size) { return neighbors * (capacity - size); });
}

} // namespace

TEST_CASE("the assignment is that of the naive algorithm") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    for (int const num_parts : {1, 2, 3, 8}) {
      for (auto const& options :
           {ldg_partitioner{}, ldg_partitioner{.seed = 2, .capacity_slack = 0, .passes = 1},
            ldg_partitioner{.seed = 5, .capacity_slack = 0.5, .passes = 3}, ldg_partitioner{.capacity_slack = 1e300},
            ldg_partitioner{.passes = 2, .order = stream_order::natural}}) {
        CAPTURE(num_parts);
        CHECK(to_vector(options(rows.view(), num_parts)) == naive(rows.view(), options, num_parts));
      }
    }
  }
}

TEST_CASE("no part is larger than the capacity") {
  auto const graph = random_graph(1009, 7001);
  auto const rows = make_csr<device::cpu>(graph.view());
  for (double const slack : {0.0, 0.01, 0.2}) {
    for (int const num_parts : {1, 2, 5, 13}) {
      auto const part_of = ldg_partitioner{.capacity_slack = slack}(rows.view(), num_parts);
      auto const largest = std::ranges::max(sizes_of_parts(part_of.view(), num_parts));
      CHECK(static_cast<double>(largest) <= std::ceil((1 + slack) * 1009 / num_parts));
    }
  }
}

TEST_CASE("communities stay together: far fewer edges are cut than at random, and more passes cut fewer") {
  auto const planted =
      make_planted_communities({.num_vertices = 20'011, .num_communities = 40, .in_degree = 8, .out_degree = 2});
  auto const rows = make_csr<device::cpu>(symmetrize(planted.graph.view()).view());
  for (int const num_parts : {2, 4, 8}) {
    auto const random = cut_fraction(rows.view(), random_partitioner{}(rows.view(), num_parts).view());
    auto const once = cut_fraction(rows.view(), ldg_partitioner{.passes = 1}(rows.view(), num_parts).view());
    auto const often = cut_fraction(rows.view(), ldg_partitioner{}(rows.view(), num_parts).view());
    CAPTURE(num_parts);
    CHECK(random > 0.95 * (1 - 1.0 / num_parts));
    CHECK(once < 0.85 * random);
    CHECK(often < 0.4 * random);
  }
}

TEST_CASE("limits on edges and types are kept, and the naive algorithm keeps them the same way") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    std::vector<std::int8_t> types;
    for (std::int64_t v = 0; v < graph.num_vertices; ++v) {
      types.push_back(static_cast<std::int8_t>(v % 7 == 0 ? 1 : v % 3));
    }
    ldg_partitioner const options{.capacity_slack = 0.1,
                                  .passes = 2,
                                  .balance = {balance_limit::edges(rows.view(), 0.02),
                                              balance_limit::types(host_view<std::int8_t const>(types), 3, 0)}};
    for (int const num_parts : {1, 2, 5}) {
      CAPTURE(num_parts);
      CHECK(to_vector(options(rows.view(), num_parts)) == naive(rows.view(), options, num_parts));
    }
  }
}

TEST_CASE("bad options are refused with their value") {
  auto const graph = random_graph(11, 30);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto const complaint = [&](ldg_partitioner const& options) {
    return thrown<precondition_error>([&] { static_cast<void>(options(rows.view(), 2)); });
  };
  CHECK(names(complaint({.capacity_slack = -0.25}), "LDG", "-0.25"));
  CHECK(names(complaint({.capacity_slack = std::numeric_limits<double>::quiet_NaN()}), "nan"));
  CHECK(names(complaint({.passes = 0}), "0 passes"));
  CHECK(names(complaint({.balance = {balance_limit::vertices(-1)}}), "vertices", "-1"));
  CHECK(names(thrown<precondition_error>([] { static_cast<void>(ldg_partitioner{}.stream(9, 0)); }), "0 parts"));
  CHECK(names(thrown<precondition_error>([] { static_cast<void>(ldg_partitioner{}.stream(-9, 2)); }), "-9"));
}
