// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/slice_bounds.hpp>

#include "support/policies.hpp"

#include <cstdint>
#include <vector>

TEST_CASE_TEMPLATE("bounds are found in every slice, its end if all keys are below", Policy, GLT_TEST_GLUE_POLICIES) {
  Policy const policy;
  glt::detail::slice_bounds<Policy> bounds(policy);
  auto const keys = glt::make_buffer<Policy>(std::vector<std::int32_t>{1, 3, 3, 8, /**/ 0, 9, /**/ 2, 4}, policy);
  std::vector<std::int64_t> const offsets{0, 4, 6, 6, 8};
  for (int time = 0; time < 2; ++time) {
    auto const found = bounds.find(keys.data(), offsets, std::vector<std::int64_t>{3, 9});
    CHECK(std::vector<std::int64_t>(found.begin(), found.end()) == std::vector<std::int64_t>{1, 4, 5, 5, 6, 6, 7, 8});
  }
  CHECK(bounds.find(keys.data(), std::vector<std::int64_t>{0}, std::vector<std::int64_t>{3}).empty());
}
