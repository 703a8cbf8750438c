// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/core/view.hpp>

#include <doctest/doctest.h>

#include <cstdint>

TEST_CASE("a bounded size is the exact one if there is one, else the bound") {
  std::int64_t exact = 5;
  glt::detail::bounded_size<glt::memory_space::host> const of{.bound = 9, .exact = {&exact, 1}};
  CHECK(of() == 5);
  exact = 0;
  CHECK(of() == 0);
  CHECK(glt::detail::bounded_size<glt::memory_space::host>{.bound = 9}() == 9);
}
