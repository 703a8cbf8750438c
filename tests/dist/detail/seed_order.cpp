// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/seed_order.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "support/statistics.hpp"

TEST_CASE("the order is a permutation that seed and epoch decide") {
  std::vector<std::int64_t> seeds(101);
  std::iota(seeds.begin(), seeds.end(), 7);
  CHECK(glt::detail::seed_order(seeds, false, 1, 2) == seeds);
  auto const order = glt::detail::seed_order(seeds, true, 1, 2);
  CHECK(order == glt::detail::seed_order(seeds, true, 1, 2));
  CHECK(order != glt::detail::seed_order(seeds, true, 1, 3));
  CHECK(order != glt::detail::seed_order(seeds, true, 2, 2));
  CHECK(order != seeds);
  auto sorted = order;
  std::ranges::sort(sorted);
  CHECK(sorted == seeds);
  CHECK(glt::detail::seed_order(std::vector<std::int64_t>{}, true, 1, 2).empty());
}

TEST_CASE("every order is equally likely") {
  std::map<std::vector<std::int32_t>, std::int64_t> orders;
  for (std::int64_t epoch = 0; epoch < 24000; ++epoch) {
    ++orders[glt::detail::seed_order(std::vector<std::int32_t>{0, 1, 2, 3}, true, 6, epoch)];
  }
  std::vector<std::int64_t> observed;
  for (auto const& [order, count] : orders) {
    observed.push_back(count);
  }
  CHECK(observed.size() == 24);
  CHECK(glt_test::chi_square_deviation(observed) < 4);
}
