// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. The first byte of an input chooses
// how the others are read.
#include "support/fuzz.hpp"

#include <glt/io/text/detail/matrix_market.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

std::vector<std::string> glt_test::fuzz_seeds() {
  std::string const banner = "%%MatrixMarket matrix coordinate ";
  return {"\1" + banner + "pattern general\n% note\n3 3 2\n1 2\n3 3\n",
          "\1" + banner + "real general\n3 3 2\n1 2 0.5\n3 3 -1e3\r\n",
          "\1" + banner + "real symmetric\n3 3 2\n2 1 4\n3 3 5\n",
          "\x10" + banner + "integer skew-symmetric\n4 4 2\n2 1 4\n4 3 5",
          "\x21" + banner + "pattern symmetric\n0 0 0\n"};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  glt_test::read_twice(text, data[0], [](glt::io::detail::text_source& source, glt::io::read_options const& read) {
    return glt_test::everything_in(glt::io::detail::read_matrix_market(source, read));
  });
  return 0;
}
