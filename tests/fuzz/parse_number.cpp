// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. Numbers are compared with what the
// standard library makes of the same text.
#include "support/fuzz.hpp"

#include <glt/io/text/detail/text_cursor.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace {

template <class T>
void compare(char const* begin, char const* end) {
  T value{};
  T expected{};
  auto const* at = begin;
  glt::io::detail::number_fault fault{};
  if constexpr (std::integral<T>) {
    fault = glt::io::detail::parse_integer(at, end, value);
  } else {
    fault = glt::io::detail::parse_real(at, end, value);
    begin += end - begin > 1 && *begin == '+' && begin[1] != '-' ? 1 : 0;
  }
  auto const [stop, code] = std::from_chars(begin, end, expected);
  if (std::integral<T> && std::is_unsigned_v<T> && begin != end && *begin == '-') {
    return; // which from_chars does not take for a number
  }
  if (code == std::errc()) {
    glt_test::insist(fault == glt::io::detail::number_fault::none && at == stop, "a number is one");
    glt_test::insist(value == expected || (value != value && expected != expected), "the value is right");
  } else if (code == std::errc::invalid_argument) {
    glt_test::insist(fault == glt::io::detail::number_fault::missing, "what is no number is none");
  } else {
    glt_test::insist(fault == glt::io::detail::number_fault::out_of_range ||
                         (!std::integral<T> && std::abs(static_cast<double>(value)) < 1),
                     "what is too large is refused, what is too small is small");
  }
}

} // namespace

std::vector<std::string> glt_test::fuzz_seeds() {
  return {"0",
          "-1",
          "1234567",
          "12345678",
          "123456789 12",
          "-9223372036854775808",
          "0000000000000000000000000012",
          "1.5e300",
          "-0.000000001",
          "+3e-5",
          "nan",
          "-inf",
          "4294967296",
          "3.4028236e38",
          "1e-45"};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const* const begin = reinterpret_cast<char const*>(data);
  compare<std::int64_t>(begin, begin + size);
  compare<std::int32_t>(begin, begin + size);
  compare<std::int8_t>(begin, begin + size);
  compare<std::uint16_t>(begin, begin + size);
  compare<float>(begin, begin + size);
  compare<double>(begin, begin + size);
  return 0;
}
