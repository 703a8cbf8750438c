// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/routed_list.hpp>

#include <cstdint>

TEST_CASE("a row and its value have no gaps and stay what they are") {
  static_assert(sizeof(glt::detail::row_with<glt::global_id>) == 12);
  static_assert(sizeof(glt::detail::row_with<glt::local_id>) == 8);
  glt::detail::row_with<glt::global_id> const edge(7, std::int64_t{1} << 40);
  CHECK(edge.row() == 7);
  CHECK(edge.value() == std::int64_t{1} << 40);
}
