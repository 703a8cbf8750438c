// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/detail/hot_table.hpp>

#include <algorithm>
#include <cstdint>

TEST_CASE("the capacity of a budget is the most rows that fit it") {
  for (std::int64_t const row_bytes : {0, 1, 189, 4096}) {
    for (std::int64_t const budget : {-1, 0, 15, 16, 100, 4096, 1'000'000}) {
      auto const count = glt::detail::hot_capacity(budget, row_bytes);
      CHECK(glt::detail::hot_bytes(count, row_bytes) <= std::max<std::int64_t>(budget, 0));
      CHECK((glt::detail::hot_bytes(count + 1, row_bytes) > budget || count == 0));
    }
  }
  CHECK(glt::detail::hot_capacity(std::int64_t{1} << 62, 1) == 2147483647);
}
