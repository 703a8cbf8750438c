// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>

#include <CLI/CLI.hpp>

#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <type_traits>

namespace glt_partition {

/// What a user wrote, short enough for a message.
inline std::string shortened(std::string const& text) {
  constexpr std::size_t longest = 40;
  return "'" + (text.size() <= longest ? text : text.substr(0, longest) + "...") + "'";
}

/// For options that take a number from `least` to `most`.
template <class T>
CLI::Validator number_from(T least, T most) {
  return {[=](std::string& text) {
            T value{};
            auto const* const end = text.data() + text.size();
            auto const read = std::from_chars(text.data(), end, value);
            bool const fits = read.ec == std::errc() && read.ptr == end && value >= least && value <= most;
            return fits ? std::string()
                        : glt::detail::message(shortened(text), " is no ", std::is_integral_v<T> ? "whole " : "",
                                               "number from ", least, " to ", most);
          },
          "NUMBER"};
}

/// For options that take a byte that separates columns, or its name.
inline CLI::Validator one_byte() {
  return {[](std::string& text) {
            bool const fits = text.size() == 1 || text == "tab" || text == "space";
            return fits ? std::string() : shortened(text) + " is no single byte, nor tab or space";
          },
          "BYTE"};
}

/// For options that take a size, such as 4GB; what is left is a number of bytes.
inline CLI::Validator size_in_bytes() {
  return {[](std::string& text) {
            auto const written = text;
            bool const begins = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
            try {
              if (begins && CLI::AsSizeValue(false)(text).empty() &&
                  number_from(std::int64_t{1}, std::int64_t{1} << 60)(text).empty()) {
                return std::string();
              }
            } catch (CLI::ValidationError const&) { // an unknown unit, or too large a number
            }
            return shortened(written) + " is no size from 1 byte to 1EB; write it as in 500MB or 4GB";
          },
          "SIZE"};
}

} // namespace glt_partition
