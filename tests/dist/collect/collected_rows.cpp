// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/collected_rows.hpp>

#include <type_traits>

using rows = glt::dist::collected_rows<glt::device::cpu, float>;

static_assert(std::is_nothrow_move_constructible_v<rows> && !std::is_copy_constructible_v<rows>);

TEST_CASE("rows that nobody has collected are none, and took no time") {
  rows const unused;
  CHECK(unused.features.empty());
  CHECK(unused.labels.empty());
  glt::detail::collector_seconds const spent;
  CHECK(spent.requesting + spent.own_rows + spent.packing + spent.exchanging + spent.unpacking == 0);
}
