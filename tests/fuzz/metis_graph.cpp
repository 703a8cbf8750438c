// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. The first byte of an input chooses
// how the others are read.
#include "support/fuzz.hpp"

#include <glt/io/text/detail/metis_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

std::vector<std::string> glt_test::fuzz_seeds() {
  return {"\1"
          "3 2\n2\n1 3\n2\n",
          "\1"
          "3 2 1\n2 5\n1 5 3 7\n2 7\n",
          "\1% note\n2 1 11\n9 2 5\n8 1 5",
          "\x11"
          "2 1 110 2\n1 2 3 2\n4 5 6 1\n",
          "\x21"
          "2 1 100\n4 2\r\n4 1\r\n\r\n",
          "\x31"
          "3 0\n\n\n\n",
          "\7"
          "3 2\n2\n1 3\n2\n"};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  glt_test::read_twice(text, data[0], [](glt::io::detail::text_source& source, glt::io::read_options const& read) {
    return glt_test::everything_in(glt::io::detail::read_metis_graph(source, read));
  });
  return 0;
}
