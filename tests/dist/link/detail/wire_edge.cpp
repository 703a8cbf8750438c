// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/detail/wire_edge.hpp>

#include <cstdint>

TEST_CASE("wire edges have no gaps and keep their ends") {
  static_assert(sizeof(glt::detail::wire_edge<glt::global_id>) == 12);
  static_assert(sizeof(glt::detail::wire_edge<glt::local_id>) == 8);
  glt::detail::wire_edge<glt::global_id> const edge(7, std::int64_t{1} << 40);
  CHECK(edge.row() == 7);
  CHECK(edge.source() == std::int64_t{1} << 40);
}
