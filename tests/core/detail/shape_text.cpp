// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/error.hpp>

#include <cstdint>
#include <vector>

TEST_CASE("a shape is written as LibTorch prints it") {
  CHECK(glt::detail::shape_text(std::vector<std::int64_t>{}) == "[]");
  CHECK(glt::detail::shape_text(std::vector<std::int64_t>{7}) == "[7]");
  CHECK(glt::detail::shape_text(std::vector<std::int64_t>{2, 0, 3}) == "[2, 0, 3]");
}
