// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. An input is a whole .npy file.
#include "support/archives.hpp"
#include "support/fuzz.hpp"

#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

std::vector<std::string> glt_test::fuzz_seeds() {
  return {npy_longs({1, -2, 3}),
          npy_bytes("<u4", "(2, 3)", std::string(24, 'x')),
          npy_bytes("<u8", "(1,)", std::string(8, '\1')),
          npy_bytes("<f2", "()", "ab"),
          npy_bytes("|O", "(1,)", "pickle"),
          npy_bytes("<f4", "(0, 7)", "")};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const array = glt::io::detail::read_npy_any(
        {reinterpret_cast<std::byte const*>(data), static_cast<std::int64_t>(size)}, "input");
    glt_test::insist(array.bytes().size() <= static_cast<std::int64_t>(size) * 2, "no more than twice the file");
    glt_test::insist(glt::io::detail::count_not_finite(array) * glt::detail::size_of(array.type()) <=
                         array.bytes().size(),
                     "at most all elements are not finite");
    static_cast<void>(glt::io::detail::integers_of(array, "input"));
  } catch (glt::io_error const&) {
  }
  return 0;
}
