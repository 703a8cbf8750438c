// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/feature/tier/tiered_store.hpp>

#include <cstdint>
#include <limits>
#include <vector>

using namespace glt;
using namespace glt_test;
using ids = std::vector<local_id>;

TEST_CASE("the first of a ranking are hot, on the devices in turn, and slots say where every row is") {
  ids const ranking{4, 1, 5, 0};
  auto const plan = detail::plan_tiers(6, ranking, 3, 2, false);
  CHECK(plan.hot == std::vector<ids>{{4, 5}, {1}});
  CHECK(plan.cold == ids{0, 2, 3});
  CHECK(plan.slots == std::vector<detail::tier_slot>{-1, 1, -2, -3, 0, 2});
}

TEST_CASE("where the cold rows are all rows, a cold vertex keeps its own") {
  ids const ranking{4, 1};
  auto const plan = detail::plan_tiers(6, ranking, 2, 1, true);
  CHECK(plan.hot == std::vector<ids>{{4, 1}});
  CHECK(plan.cold.empty());
  CHECK(plan.slots == std::vector<detail::tier_slot>{-1, 1, -3, -4, 0, -6});
}

TEST_CASE("nothing may be hot, and there may be nothing") {
  CHECK(detail::plan_tiers(2, ids{}, 0, 1, false).slots == std::vector<detail::tier_slot>{-1, -2});
  CHECK(detail::plan_tiers(0, ids{}, 0, 3, false).hot == std::vector<ids>(3));
}

TEST_CASE("rankings of other vertices, or of one twice, are refused") {
  auto const complaint = [](std::int64_t vertices, ids const& ranking) {
    return thrown<precondition_error>([&] {
      static_cast<void>(detail::plan_tiers(vertices, ranking, static_cast<std::int64_t>(ranking.size()), 1, false));
    });
  };
  CHECK(names(complaint(3, {0, 3}), "hot vertex 1 is 3", "[0, 3)"));
  CHECK(names(complaint(3, {-1}), "hot vertex 0 is -1"));
  CHECK(names(complaint(3, {2, 0, 2}), "hot vertex 2 is 2, as hot vertex 0"));
  CHECK(names(complaint(std::int64_t{1} << 31, {}), "number of vertices of a tiered store"));
}
