// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/types.hpp>

namespace {

GLT_HOST_DEVICE constexpr int twice(int value) {
  return 2 * value;
}

} // namespace

TEST_CASE("a function for both sides is an ordinary function on the host") {
  static_assert(twice(21) == 42);
  CHECK(twice(4) == 8);
}
