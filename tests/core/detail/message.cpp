// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/detail/message.hpp>

#include <cstdint>
#include <string>
#include <string_view>

TEST_CASE("message joins texts and numbers") {
  CHECK(glt::detail::message("seed ", 3, " is ", std::int64_t{-1}, ", of ", std::string("5"),
                             std::string_view(" ids")) == "seed 3 is -1, of 5 ids");
  CHECK(glt::detail::message("alone") == "alone");
}
