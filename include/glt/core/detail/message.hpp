// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace glt::detail {

/// Appends a text, a character or a number to a text.
template <class Part>
void append_part(std::string& text, Part const& part) {
  if constexpr (std::convertible_to<Part const&, std::string_view>) {
    text += std::string_view(part);
  } else if constexpr (std::same_as<Part, char>) {
    text += part;
  } else if constexpr (std::same_as<Part, bool>) {
    text += part ? '1' : '0';
  } else {
    static_assert(std::is_arithmetic_v<Part>, "message() joins texts, characters and numbers");
    std::array<char, 48> digits;
    auto const written = [&] {
      if constexpr (std::floating_point<Part>) {
        return std::to_chars(digits.begin(), digits.end(), part, std::chars_format::general, 6);
      } else {
        return std::to_chars(digits.begin(), digits.end(), part);
      }
    }();
    text.append(digits.data(), written.ptr);
  }
}

/// Joins its arguments into a text, whatever the locale; floating-point numbers have up to six digits.
///
/// @throws std::bad_alloc  instead of making a text that is cut short: some go to files
template <class... Parts>
[[nodiscard]] std::string message(Parts const&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}

} // namespace glt::detail
