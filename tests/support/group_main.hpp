// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string_view>

namespace glt_test {

// A program of those that were compiled together, entered in the list from which main takes one; see group.cmake.
struct group_entry {
  group_entry(std::string_view its_name, int (*start)());
  group_entry(std::string_view its_name, int (*start)(int, char**));

  std::string_view name;
  std::function<int(int, char**)> run;
  group_entry const* next;
};

} // namespace glt_test
