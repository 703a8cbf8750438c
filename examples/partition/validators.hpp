// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace glt_partition {

/// What a user wrote, short enough for a message.
inline std::string shortened(std::string const& text) {
  constexpr std::size_t longest = 40;
  return "'" + (text.size() <= longest ? text : text.substr(0, longest) + "...") + "'";
}

/// A number at the beginning of a text; nothing of it is taken if it does not fit.
template <class T>
std::errc take_number(std::string_view& text, T& value) {
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc()) {
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return fault;
}

/// For options that take a number from `least` to `most`.
template <class T>
CLI::Validator number_from(T least, T most) {
  return {[=](std::string& text) {
            std::string_view left = text;
            T value{};
            bool const fits = take_number(left, value) == std::errc() && left.empty() && value >= least && value <= most;
            return fits ? std::string()
                        : glt::detail::message(shortened(text), " is no ", std::is_integral_v<T> ? "whole " : "",
                                               "number from ", least, " to ", most);
          },
          "NUMBER"};
}

/// For options that take a size, such as 4GB; what is left is a number of bytes.
inline CLI::Validator size_in_bytes() {
  return {[](std::string& text) {
            constexpr auto most = std::uint64_t{1} << 60;
            std::string_view left = text;
            std::uint64_t value = 0;
            auto const fault = take_number(left, value);
            left.remove_prefix(std::min(left.find_first_not_of(' '), left.size()));
            std::string unit(left);
            std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
            constexpr std::string_view prefixes = "kmgtpe";
            auto const power = unit.empty() ? std::string_view::npos : prefixes.find(unit[0]);
            auto const rest = power == std::string_view::npos ? unit : unit.substr(1);
            auto const shift = power == std::string_view::npos ? 0 : 10 * (power + 1);
            bool const known = rest.empty() || rest == "b" || (shift > 0 && (rest == "i" || rest == "ib"));
            if (fault != std::errc() || !known || value == 0 || value > most >> shift) {
              return shortened(text) + " is no size from 1 byte to 1EB; write it as in 500MB or 4GB";
            }
            text = std::to_string(value << shift);
            return std::string();
          },
          "SIZE"};
}

} // namespace glt_partition
