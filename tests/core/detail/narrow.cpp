// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/error.hpp>

#include <cstdint>
#include <limits>
#include <source_location>

using glt::detail::narrow;
using glt_test::names;
using glt_test::thrown;

TEST_CASE("narrow keeps every value that fits") {
  CHECK(narrow<std::int32_t>(std::int64_t{2'147'483'647}, "x") == 2'147'483'647);
  CHECK(narrow<std::int32_t>(std::int64_t{-2'147'483'648}, "x") == std::numeric_limits<std::int32_t>::min());
  CHECK(narrow<std::uint8_t>(255, "x") == 255);
  CHECK(narrow<std::int64_t>(std::uint64_t{5}, "x") == 5);
  CHECK(narrow<std::uint64_t>(0, "x") == 0);
}

TEST_CASE("narrow refuses what does not fit, naming it") {
  auto const text = thrown<glt::precondition_error>(
      [] { (void)narrow<std::int32_t>(std::int64_t{2'147'483'648}, "the number of rows"); });
  CHECK(names(text, "the number of rows", "2147483648", "32-bit"));
  CHECK_THROWS_AS((void)narrow<std::int32_t>(std::int64_t{-2'147'483'649}, "x"), glt::precondition_error);
  CHECK_THROWS_AS((void)narrow<std::uint32_t>(-1, "x"), glt::precondition_error);
  CHECK_THROWS_AS((void)narrow<std::int64_t>(std::numeric_limits<std::uint64_t>::max(), "x"), glt::precondition_error);
}

TEST_CASE("narrow blames its caller") {
  auto const line = std::source_location::current().line() + 2;
  try {
    (void)narrow<std::int8_t>(128, "x");
    FAIL("128 was accepted");
  } catch (glt::precondition_error const& error) {
    CHECK(error.where().line() == line);
  }
}
