// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. The first byte of an input chooses
// how the others are read.
#include "support/fuzz.hpp"

#include <glt/io/text/detail/columns.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

template <class T>
std::string read(glt::io::detail::text_source& source, glt::io::detail::column_options const& options,
                 glt::io::read_options const& how) {
  auto const table = glt::io::detail::read_columns<T>(source, options, how);
  auto const values = table.template values<T>();
  glt_test::insist(values.size() == table.shape()[0] * table.shape()[1], "there are rows times columns");
  return std::to_string(table.shape()[1]) +
         glt_test::bytes_of(std::span(values.data(), static_cast<std::size_t>(values.size())));
}

} // namespace

std::vector<std::string> glt_test::fuzz_seeds() {
  return {std::string("\0"
                      "1,2,3\n4,5,6\n-7,8,9",
                      19),
          "\1"
          "0.5 1e3\n-2 nan\n",
          "\2"
          "head\n1\n-2\n127\r\n",
          "\3"
          "1.0\t2\n3.25\t4e-3\n",
          "\4# only\n%comments\n\n"};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  glt_test::read_twice(text, data[0], [&](glt::io::detail::text_source& source, glt::io::read_options const& how) {
    switch (data[0] % 4) {
    case 0:
      return read<std::int64_t>(source, {}, how);
    case 1:
      return read<float>(source, {.columns = 2}, how);
    case 2:
      return read<std::int8_t>(source, {.header_lines = 1}, how);
    default:
      return read<double>(source, {}, how);
    }
  });
  return 0;
}
