// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. The first byte of an input chooses
// how the others are read.
#include "support/fuzz.hpp"

#include <glt/io/text/edge_list.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using column = glt::io::detail::edge_column;

std::array<glt::io::edge_list_options, 7> const options{
    {{},
     {.relabel = true},
     {.header_lines = 1, .first_vertex = 1},
     {.columns = {column::time}, .num_vertices = 100},
     {.columns = {column::weight, column::time}, .relabel = true},
     {.columns = {column::ignored, column::ignored}},
     {.columns = {column::time, column::destination, column::ignored, column::source}, .delimiter = '|'}}};

} // namespace

std::vector<std::string> glt_test::fuzz_seeds() {
  return {std::string("\0# from to\n0\t1\n1\t2\r\n2 0", 22),
          "\1900000000 5\n5,77\n\n% note\n77 ; 900000000\n",
          "\2from,to\n1,2\n2,3\n10,4\n",
          "\3"
          "1 2 1082040961\n3 4 -5\n",
          "\4"
          "1 2 0.5 100\n2 1 -3e2 200 \n7 7 inf 0\n",
          "\5"
          "1 2 word 3\n3 4 x y\n",
          "\6"
          "7|2|\"a|b\"|3 # c\n8|\"1\"||4\n",
          "\7"
          "9 8\n1 2\n\n3 4\n"};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  auto const& chosen = options[data[0] % options.size()];
  glt_test::read_twice(text, data[0], [&](glt::io::detail::text_source& source, glt::io::read_options const& read) {
    return glt_test::everything_in(glt::io::detail::read_edge_list(source, chosen, read));
  });
  return 0;
}
