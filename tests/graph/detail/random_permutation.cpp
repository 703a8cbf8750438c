// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/graph/detail/orders.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("every number comes once, in an order of the key") {
  for (std::int64_t const n : {0, 1, 2, 3, 1000, 4097}) {
    CAPTURE(n);
    auto const order = to_vector(detail::make_random_permutation(n, random_key(7)));
    CHECK(order == to_vector(detail::make_random_permutation(n, random_key(7))));
    auto sorted = order;
    std::ranges::sort(sorted);
    for (std::int64_t i = 0; i < n; ++i) {
      REQUIRE(sorted[static_cast<std::size_t>(i)] == i);
    }
    if (n >= 1000) {
      CHECK(order != sorted);
      CHECK(order != to_vector(detail::make_random_permutation(n, random_key(8))));
    }
  }
}

TEST_CASE("all orders are equally likely") {
  std::map<std::vector<local_id>, int> counts;
  constexpr int trials = 24'000;
  for (int trial = 0; trial < trials; ++trial) {
    ++counts[to_vector(detail::make_random_permutation(4, random_key(static_cast<std::uint64_t>(trial))))];
  }
  REQUIRE(counts.size() == 24);
  double chi_square = 0;
  for (auto const& [order, count] : counts) {
    chi_square += (count - trials / 24.0) * (count - trials / 24.0) / (trials / 24.0);
  }
  CHECK(chi_square < 49.7); // 23 degrees of freedom, p = 0.001
}

TEST_CASE("impossible lengths are refused") {
  CHECK_THROWS_AS(static_cast<void>(detail::make_random_permutation(-1, random_key(1))), precondition_error);
  auto const text = thrown<precondition_error>(
      [] { static_cast<void>(detail::make_random_permutation<local_id>(std::int64_t{1} << 31, random_key(1))); });
  CHECK(names(text, "2147483648", "32-bit"));
}
