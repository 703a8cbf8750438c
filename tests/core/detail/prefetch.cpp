// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/detail/processor.hpp>

TEST_CASE("any address may be asked for") {
  int const value = 7;
  glt::detail::prefetch(&value);
  glt::detail::prefetch(nullptr);
  CHECK(value == 7);
}
