// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. The first byte of an input chooses
// how the others are read.
#include "support/fuzz.hpp"

#include <glt/io/text/detail/assignment.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

std::vector<std::string> glt_test::fuzz_seeds() {
  return {"\1"
          "0\n1\n2\n",
          "\x11"
          "3\r\n3\r\n\r\n",
          "\x20# parts\n1\n\n\n0",
          "\x31"
          "2147483647"};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  glt_test::read_twice(text, data[0], [](glt::io::detail::text_source& source, glt::io::read_options const& read) {
    auto const parts = glt::io::detail::read_assignment(source, read);
    for (auto const part : parts) {
      glt_test::insist(part >= 0, "no part is negative");
    }
    return glt_test::bytes_of(std::span(parts.data(), static_cast<std::size_t>(parts.size())));
  });
  return 0;
}
