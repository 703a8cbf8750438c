// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/error.hpp>
#include <glt/feature/tier/tiered_store.hpp>

#include <cstdint>
#include <limits>

using namespace glt;
using namespace glt_test;

TEST_CASE("a ratio gives the nearest number of rows, and bytes as many as fit on every device") {
  CHECK(detail::rows_within({}, 100, 8, 400, 1) == 100);
  CHECK(detail::rows_within({.ratio = 0.3}, 10, 8, 400, 1) == 3);
  CHECK(detail::rows_within({.ratio = 0.29}, 100, 8, 400, 1) == 29);
  CHECK(detail::rows_within({.ratio = 0}, 100, 8, 400, 1) == 0);
  CHECK(detail::rows_within({.ratio = 1}, 0, 8, 0, 3) == 0);
  CHECK(detail::rows_within({.bytes = 399}, 100, 8, 400, 1) == 0);
  CHECK(detail::rows_within({.bytes = 415}, 100, 8, 400, 1) == 1);
  CHECK(detail::rows_within({.bytes = 416}, 100, 8, 400, 3) == 6);
  CHECK(detail::rows_within({.bytes = 400}, 100, 0, 400, 1) == 100); // rows without columns
  CHECK(detail::rows_within({.bytes = 399}, 100, 0, 400, 1) == 0);
  CHECK(detail::rows_within({.ratio = 0.05, .bytes = 480}, 100, 8, 400, 1) == 5);
  CHECK(detail::rows_within({.ratio = 0.5, .bytes = 480}, 100, 8, 400, 1) == 10);
}

TEST_CASE("limits that are none are refused") {
  auto const complaint = [](glt::detail::hot_limit limit) {
    return thrown<precondition_error>([&] { static_cast<void>(detail::rows_within(limit, 10, 4, 0, 1)); });
  };
  CHECK(names(complaint({.ratio = -0.1}), "ratio of -0.1"));
  CHECK(names(complaint({.ratio = 1.01}), "ratio of 1.01"));
  CHECK(names(complaint({.ratio = std::numeric_limits<double>::quiet_NaN()}), "ratio of"));
  CHECK(names(complaint({.bytes = -1}), "-1 bytes"));
}
