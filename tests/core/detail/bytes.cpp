// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/types.hpp>

#include <array>

TEST_CASE("bytes are copied, and none may go from nowhere to nowhere") {
  std::array<int, 3> const from{1, 2, 3};
  std::array<int, 3> to{7, 8, 9};
  glt::detail::copy_bytes(to.data(), from.data(), 2 * sizeof(int));
  CHECK(to == std::array<int, 3>{1, 2, 9});
  glt::detail::copy_bytes(nullptr, nullptr, 0); // memcpy would be undefined here
  CHECK(to == std::array<int, 3>{1, 2, 9});
}
