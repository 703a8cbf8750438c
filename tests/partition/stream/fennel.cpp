// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/cuts.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/naive_stream.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/graph/generators.hpp>
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

// The score of the paper, in units of 2^-24; γ is 1, 1.5 or 2, whose powers are exact.
std::vector<local_id> naive(csr_view<memory_space::host> graph, fennel_partitioner const& options, int num_parts) {
  auto const n = graph.num_rows();
  auto const vertices = static_cast<double>(n);
  auto const capacity = std::min(std::ceil((1 + options.capacity_slack) * vertices / num_parts), vertices);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (options.order == stream_order::random) {
    auto const shuffled = detail::make_random_permutation<local_id>(n, random_key(options.seed));
    order.assign(shuffled.begin(), shuffled.end());
  }
  auto const edges = static_cast<double>(graph.num_edges()) / 2;
  return naive_stream(graph, order, options.passes, num_parts, capacity, options.balance,
                      [&](double neighbors, double size) {
                        auto const load = size * (num_parts / vertices);
                        auto const power = options.gamma == 1 ? 1 : options.gamma == 2 ? load : std::sqrt(load);
                        auto const cost = options.gamma * options.alpha * (edges / vertices) * power;
                        return neighbors * 0x1p24 - std::floor(cost * 0x1p24);
                      });
}

} // namespace

static_assert(partitioner<fennel_partitioner, local_id> && partitioner<fennel_partitioner, global_id>);

TEST_CASE("the assignment is that of the naive algorithm") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    for (int const num_parts : {1, 2, 3, 8}) {
      for (auto const& options :
           {fennel_partitioner{}, fennel_partitioner{.seed = 2, .gamma = 1, .capacity_slack = 0},
            fennel_partitioner{.gamma = 2, .alpha = 3, .passes = 3}, fennel_partitioner{.alpha = 0, .passes = 2},
            fennel_partitioner{.passes = 2, .order = stream_order::natural},
            fennel_partitioner{.balance = {balance_limit::edges(rows.view(), 0.1)}}}) {
        CAPTURE(num_parts);
        CHECK(to_vector(options(rows.view(), num_parts)) == naive(rows.view(), options, num_parts));
      }
    }
  }
}

TEST_CASE("powers by roots are those of the mathematics library, up to rounding") {
  for (double const base : {0.0, 1e-9, 0.3, 1.0, 1.7, 1e12}) {
    for (double const exponent : {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.999, 1.0}) {
      CHECK(detail::root_power(base, exponent) == doctest::Approx(std::pow(base, exponent)).epsilon(1e-7));
    }
  }
}

TEST_CASE("without a price a path fills one part after the other, and a huge price keeps sizes equal") {
  edge_list path{"path", 500, {}, {}};
  for (int v = 1; v < 500; ++v) {
    path.add(v - 1, v);
  }
  auto const rows = make_csr<device::cpu>(path.view());
  auto const sizes = [&](double alpha) {
    fennel_partitioner const options{
        .gamma = 1.25, .alpha = alpha, .capacity_slack = 0.5, .order = stream_order::natural};
    return sizes_of_parts(options(rows.view(), 4).view(), 4);
  };
  CHECK(sizes(0) == std::vector<std::int64_t>{188, 188, 124, 0});
  CHECK(sizes(1e9) == std::vector<std::int64_t>{125, 125, 125, 125});
  CHECK(std::ranges::max(sizes(1e300)) <= 188);
}

TEST_CASE("communities stay together, and more passes cut fewer edges") {
  auto const planted =
      make_planted_communities({.num_vertices = 20'011, .num_communities = 40, .in_degree = 8, .out_degree = 2});
  auto const rows = make_csr<device::cpu>(symmetrize(planted.graph.view()).view());
  for (int const num_parts : {2, 4, 8}) {
    auto const random = 1 - 1.0 / num_parts;
    CAPTURE(num_parts);
    CHECK(cut_fraction(rows.view(), fennel_partitioner{}(rows.view(), num_parts).view()) < 0.85 * random);
    CHECK(cut_fraction(rows.view(), fennel_partitioner{.passes = 5}(rows.view(), num_parts).view()) < 0.4 * random);
  }
}

TEST_CASE("bad options are refused with their value") {
  auto const graph = random_graph(11, 30);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto const complaint = [&](fennel_partitioner const& options) {
    return thrown<precondition_error>([&] { static_cast<void>(options(rows.view(), 2)); });
  };
  CHECK(names(complaint({.gamma = 0.5}), "gamma 0.5", "[1, 2]"));
  CHECK(names(complaint({.gamma = 2.5}), "gamma 2.5"));
  CHECK(names(complaint({.gamma = std::numeric_limits<double>::quiet_NaN()}), "gamma nan"));
  CHECK(names(complaint({.alpha = -1}), "alpha -1"));
  CHECK(names(complaint({.capacity_slack = -0.25}), "Fennel", "-0.25"));
  CHECK(names(complaint({.passes = 0}), "0 passes"));
  CHECK(names(complaint({.balance = {balance_limit::vertices(-1)}}), "vertices", "-1"));
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(fennel_partitioner{}(rows.view(), 0)); }), "0 parts"));
  CHECK(
      names(thrown<precondition_error>([] { static_cast<void>(fennel_partitioner{}.stream(9, -3, 2)); }), "-3 edges"));
}
