// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the program of a group with whose name that of the file which was started ends, whatever links lead to the file.
#include "tests/support/group_main.hpp"

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

glt_test::group_entry const* first = nullptr;

} // namespace

namespace glt_test {

group_entry::group_entry(std::string_view its_name, int (*start)())
    : name(its_name), run([start](int, char**) { return start(); }), next(std::exchange(first, this)) {}

group_entry::group_entry(std::string_view its_name, int (*start)(int, char**))
    : name(its_name), run(start), next(std::exchange(first, this)) {}

} // namespace glt_test

int main(int argc, char** argv) {
  std::string const file = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  glt_test::group_entry const* found = nullptr;
  for (auto const* entry = first; entry; entry = entry->next) {
    if (file.ends_with(entry->name) && (!found || found->name.size() < entry->name.size())) {
      found = entry;
    }
  }
  if (found) {
    return found->run(argc, argv);
  }
  std::cerr << file << ": there is no program of this name; there are\n";
  for (auto const* entry = first; entry; entry = entry->next) {
    std::cerr << "  " << entry->name << '\n';
  }
  return 2;
}
