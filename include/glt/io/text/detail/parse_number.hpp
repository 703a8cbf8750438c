// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

namespace glt::io::detail {

/// Result of reading a number from text.
enum class number_fault : std::uint8_t { none, missing, out_of_range };

inline constexpr std::array<std::uint64_t, 9> powers_of_ten{1,       10,        100,        1'000,      10'000,
                                                            100'000, 1'000'000, 10'000'000, 100'000'000};

// Converts bytes 0 to 9, the first one in the lowest byte, to a number of eight digits: pairs, fours, then all of them.
constexpr std::uint64_t eight_digits(std::uint64_t digits) noexcept {
  digits = (digits * 2561) >> 8;
  digits = ((digits & 0x00FF00FF00FF00FF) * 6553601) >> 16;
  return ((digits & 0x0000FFFF0000FFFF) * 42949672960001) >> 32;
}

// Moves `at` past the decimal digits there and returns their value, which is right for up to 19 digits.
inline std::uint64_t read_digits(char const*& at, char const* end) noexcept {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    while (end - at >= 8) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, at, 8);
      bytes ^= 0x3030303030303030;
      // Digits are below 10 now. The first other byte gets its highest bit set; a carry only reaches later bytes.
      auto const others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
      if (others == 0) {
        value = value * powers_of_ten[8] + eight_digits(bytes);
        at += 8;
        continue;
      }
      auto const count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
      if (count > 0) {
        value = value * powers_of_ten[count] + eight_digits(bytes << (8 * (8 - count)));
        at += count;
      }
      return value;
    }
  }
  for (; at != end && *at >= '0' && *at <= '9'; ++at) {
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return value;
}

/// Reads a decimal integer, with a '-' or without a sign, and moves `at` past it; leading zeros are allowed.
///
/// After a fault `at` is unchanged. Blanks before the number are not skipped.
template <std::integral T>
[[nodiscard]] inline number_fault parse_integer(char const*& at, char const* end, T& value) noexcept {
  auto const* place = at;
  bool const negative = place != end && *place == '-';
  place += negative ? 1 : 0;
  auto const* const first = place;
  auto magnitude = read_digits(place, end);
  if (place == first) {
    return number_fault::missing;
  }
  constexpr std::ptrdiff_t always_exact = 18; // digits of which every number fits 63 bits
  if (place - first > always_exact) [[unlikely]] {
    if (std::from_chars(first, place, magnitude).ec != std::errc() || magnitude > std::uint64_t{1} << 63 ||
        (magnitude == std::uint64_t{1} << 63 && !negative)) {
      return number_fault::out_of_range;
    }
  }
  auto const number = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  if (!std::in_range<T>(number)) [[unlikely]] {
    return number_fault::out_of_range;
  }
  value = static_cast<T>(number);
  at = place;
  return number_fault::none;
}

/// Reads a decimal number with or without sign, fraction and exponent, "inf" or "nan", and moves `at` past it.
///
/// Numbers too small for T become 0 or subnormal. After a fault `at` is unchanged.
template <std::floating_point T>
[[nodiscard]] inline number_fault parse_real(char const*& at, char const* end, T& value) noexcept {
  auto const* place = at;
  if (place != end && *place == '+' && end - place > 1 && place[1] != '-') {
    ++place;
  }
  auto const [stop, fault] = std::from_chars(place, end, value);
  if (fault == std::errc::invalid_argument) {
    return number_fault::missing;
  }
  if (fault == std::errc::result_out_of_range) {
    long double wide = 0; // tells too small from too large, for float and double
    if (std::from_chars(place, end, wide).ec == std::errc::result_out_of_range) {
      std::string_view const text(place, stop);
      auto const exponent = text.find_first_of("eE");
      bool const small = exponent != std::string_view::npos && text[exponent + 1] == '-';
      wide = small ? 0 : std::numeric_limits<long double>::infinity();
    }
    if (std::abs(wide) > static_cast<long double>(std::numeric_limits<T>::max())) {
      return number_fault::out_of_range;
    }
    value = static_cast<T>(wide);
  }
  at = stop;
  return number_fault::none;
}

} // namespace glt::io::detail
