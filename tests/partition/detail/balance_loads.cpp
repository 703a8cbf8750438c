// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/partition/balance.hpp>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a capacity is the share of a part and the slack, but never too small for all of it or for one vertex") {
  CHECK(detail::part_capacity(0, 0, 0.5, 3) == 0);
  CHECK(detail::part_capacity(10, 1, 0, 3) == 4);
  CHECK(detail::part_capacity(9, 1, 0, 3) == 3);
  CHECK(detail::part_capacity(100, 1, 0.1, 4) == 28);
  CHECK(detail::part_capacity(100, 70, 0.1, 4) == 70);
  CHECK(detail::part_capacity(100, 1, 3.5, 4) == 100);
  CHECK(detail::part_capacity(100, 1, std::numeric_limits<double>::infinity(), 4) == 100);
  CHECK(detail::part_capacity(1, 1, 0.05, 70) == 1);
}

TEST_CASE("totals are sums by group, limit after limit") {
  std::vector<std::int32_t> const weights{5, 0, 2, 9};
  std::vector<std::int32_t> const types{1, 1, 0, 1};
  detail::balance_totals totals({balance_limit::weights("cost", host_view<std::int32_t const>(weights), 0.5),
                                 balance_limit::types(host_view<std::int32_t const>(types), 3, 0.25)},
                                4);
  REQUIRE(totals.columns().size() == 4);
  CHECK(totals.columns()[0].total == 16);
  CHECK(totals.columns()[0].heaviest == 9);
  CHECK(totals.columns()[0].slack == 0.5);
  CHECK(totals.columns()[1].total == 1);
  CHECK(totals.columns()[2].total == 3);
  CHECK(totals.columns()[3].total == 0);
  CHECK(totals.columns()[3].slack == 0.25);
  totals.weigh(2);
  REQUIRE(totals.weights().size() == 2);
  CHECK(totals.weights()[0].column == 0);
  CHECK(totals.weights()[0].amount == 2);
  CHECK(totals.weights()[1].column == 1);
  CHECK(totals.weights()[1].amount == 1);
  CHECK(detail::balance_totals({}, 7).empty());
}

TEST_CASE("a part has room while no capacity is exceeded, and what weighs nothing fits always") {
  std::vector<std::int32_t> const weights{5, 0, 2, 9, 4};
  detail::balance_loads loads({balance_limit::weights("cost", host_view<std::int32_t const>(weights), 0)}, 5, 2);
  loads.weigh(3); // the capacity is 10
  CHECK(loads.has_capacity(0));
  CHECK(loads.fullness(0) == 0.9);
  loads.add(0);
  auto moved = std::move(loads);
  moved.weigh(2);
  CHECK(!moved.has_capacity(0));
  CHECK(moved.has_capacity(1));
  CHECK(moved.fullness(0) == 1.1);
  moved.weigh(1);
  CHECK(moved.has_capacity(0));
  CHECK(moved.fullness(0) == 0);
  moved.clear();
  moved.weigh(2);
  CHECK(moved.has_capacity(0));
}

TEST_CASE("wrong limits are refused, naming the limit and the first wrong vertex") {
  auto const complaint = [](balance_limit const& limit) {
    return thrown<precondition_error>([&] { detail::balance_totals({limit}, 4); });
  };
  CHECK(names(complaint(balance_limit::vertices(-0.5)), "balance of vertices", "-0.5"));
  CHECK(names(complaint(balance_limit::vertices(std::numeric_limits<double>::quiet_NaN())), "nan"));
  CHECK(names(complaint({.name = "nothing"}), "balance of nothing", "no share"));
  auto limit = balance_limit::vertices();
  limit.num_groups = 0;
  CHECK(names(complaint(limit), "0 groups"));
  std::vector<std::int64_t> wrong{0, 1, 3, -1};
  CHECK(names(complaint(balance_limit::types(host_view<std::int64_t const>(wrong), 2)), "vertex 2 is in group 3",
              "[0, 2)"));
  CHECK(names(complaint(balance_limit::types(host_view<std::int64_t const>(wrong), 4)), "vertex 3 is in group -1"));
  CHECK(names(complaint(balance_limit::weights("cost", host_view<std::int64_t const>(wrong))), "vertex 3 weighs -1"));
  wrong[1] = std::numeric_limits<std::int64_t>::max();
  CHECK(names(complaint(balance_limit::weights("cost", host_view<std::int64_t const>(wrong))), "vertex 2 weighs 3",
              "64 bits"));
}
