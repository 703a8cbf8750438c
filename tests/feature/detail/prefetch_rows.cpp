// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/detail/convert_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE("rows are in order or where a list says") {
  std::vector<std::int32_t> const list{5, 0, 5};
  CHECK(detail::rows_in_order{}(7) == 7);
  CHECK(detail::rows_listed<std::int32_t>{list.data()}(0) == 5);
  CHECK(detail::rows_listed<std::int32_t>{list.data()}(1) == 0);
}

TEST_CASE("asking for rows ahead looks at no item after the last one, and changes nothing") {
  struct recorded {
    std::vector<std::int64_t>* seen;
    std::int64_t operator()(std::int64_t i) const {
      seen->push_back(i);
      return i;
    }
  };
  for (std::int64_t const row_bytes : {0, 1, 64, 4096}) {
    std::vector<std::byte> const rows(static_cast<std::size_t>(12 * row_bytes), std::byte{3});
    std::vector<std::int64_t> seen;
    detail::row_prefetcher<recorded> const ahead{rows.data(), row_bytes, {&seen}};
    for (std::int64_t i = 2; i < 12; ++i) {
      ahead(i, 12);
    }
    CHECK(seen == std::vector<std::int64_t>{10, 11, 11, 11, 11, 11, 11, 11, 11, 11});
    CHECK(rows == std::vector<std::byte>(rows.size(), std::byte{3}));
  }
}
