// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace glt::io::detail {

/// Returns a number with this many digits after the point; the separator is a point in every locale.
///
/// @pre    digits is in [0, 20]; not checked
[[nodiscard]] inline std::string fixed(double value, int digits) {
  std::array<char, 400> text{};
  auto const [end, fault] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end};
}

/// Returns a number as `fixed` does, without zeros at the end.
[[nodiscard]] inline std::string trimmed(double value, int digits) {
  auto text = fixed(value, digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return text == "-0" ? "0" : text;
}

/// Returns a number of 0 or more in a few characters: 9999, 12.3k, 4.57M.
[[nodiscard]] inline std::string short_number(double value) {
  if (value < 9999.5) {
    return trimmed(value, value < 10 ? 2 : 0);
  }
  constexpr std::string_view units = "kMGTPE";
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.5 && unit + 1 < units.size(); value /= 1000) {
    ++unit;
  }
  return trimmed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + units[unit];
}

/// Returns the smallest of 1, 2, 5, 10, 20, 50 … that is at least as large.
[[nodiscard]] inline double round_step(double least) {
  double step = 1;
  while (true) {
    for (double const factor : {1.0, 2.0, 5.0}) {
      if (step * factor >= least || !std::isfinite(step)) {
        return step * factor;
      }
    }
    step *= 10;
  }
}

/// Returns the width of UTF-8 text in characters: bytes that continue a character are not counted.
[[nodiscard]] inline std::size_t places(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace glt::io::detail
