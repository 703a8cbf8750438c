// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/error.hpp>

#include <map>
#include <string>
#include <vector>

TEST_CASE("names are quoted and separated, also those of a map; without names there are none") {
  std::vector<std::string> const names{"a", "b c"};
  CHECK(glt::detail::name_list(names) == "\"a\", \"b c\"");
  CHECK(glt::detail::name_list(std::vector<std::string>{}) == "none");
  std::map<std::string, int> const numbers{{"y", 1}, {"x", 2}};
  CHECK(glt::detail::name_list(numbers, &std::map<std::string, int>::value_type::first) == "\"x\", \"y\"");
}
