// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/detail/agreement.hpp>

#include <stdexcept>

TEST_CASE("a failure is the text of what was thrown, never empty") {
  CHECK(glt::detail::failure_of([] {}).empty());
  CHECK(glt::detail::failure_of([] { throw std::runtime_error("no rows"); }) == "no rows");
  CHECK(glt::detail::failure_of([] { throw std::runtime_error(""); }) == "exception without a text");
  CHECK(glt::detail::failure_of([] { throw 5; }) == "unknown exception");
}
