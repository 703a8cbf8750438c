// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/detail/ordering.hpp>

#include <cstdint>

TEST_CASE("the first place where a condition holds is found, wherever that is") {
  for (std::int64_t const size : {0, 1, 2, 7, 64, 1000}) {
    for (std::int64_t first = 0; first <= size; ++first) {
      auto const found = glt::detail::first_where(-3, size - 3, [&](std::int64_t i) { return i >= first - 3; });
      CHECK(found == first - 3);
    }
  }
}

static_assert(glt::detail::first_where(5, 100, [](std::int64_t i) { return i * i > 80; }) == 9);
