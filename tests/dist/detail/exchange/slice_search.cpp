// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/slice_bounds.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

TEST_CASE("the slice of an item is the last one that begins at or before it") {
  // Slices that begin together are empty, but for the last of them.
  for (std::vector<std::int64_t> const& begins :
       {std::vector<std::int64_t>{0}, {0, 3, 5}, {0, 0, 0, 4, 4, 9}, {-2, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 7}}) {
    for (auto i = begins.front(); i < 12; ++i) {
      std::int64_t expected = 0;
      for (std::int64_t slice = 0; slice < std::ssize(begins); ++slice) {
        expected = begins[static_cast<std::size_t>(slice)] <= i ? slice : expected;
      }
      CHECK(glt::detail::slice_holding(std::ssize(begins), i, [&](std::int64_t slice) {
              return begins[static_cast<std::size_t>(slice)];
            }) == expected);
    }
  }
}
