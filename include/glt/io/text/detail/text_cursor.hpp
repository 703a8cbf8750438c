// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/io/text/detail/parse_number.hpp>
#include <glt/io/text/text_source.hpp>

#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace glt::io::detail {

/// Cursor over the lines in memory of a `text_source`, number by number; every fault is an `io_error` with its line.
///
/// Columns are separated by blanks or tabs, by one ',' or ';', or by both. Lines end with "\n" or "\r\n"; the last line
/// may end with the text.
class text_cursor {
public:
  /// @pre    `text` is a part of `source.unread()`; not checked
  text_cursor(text_source const& source, std::string_view text) noexcept
      : source_(&source), at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool done() const noexcept { return at_ == end_; }
  [[nodiscard]] char const* at() const noexcept { return at_; }
  [[nodiscard]] text_source const& source() const noexcept { return *source_; }

  /// Returns the byte here, 0 at the end of the text.
  [[nodiscard]] char peek() const noexcept { return at_ != end_ ? *at_ : '\0'; }

  void skip_blanks() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) {
      ++at_;
    }
  }

  [[nodiscard]] bool at_line_end() const noexcept {
    return at_ == end_ || *at_ == '\n' || (*at_ == '\r' && (end_ - at_ == 1 || at_[1] == '\n'));
  }

  /// Moves to the beginning of the next line and skips the rest of this one.
  void skip_line() noexcept {
    auto const* const found = at_ == end_ ? nullptr : std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = found != nullptr ? static_cast<char const*>(found) + 1 : end_;
  }

  /// Skips a line that is blank or whose first other byte is one of `marks`.
  bool skip_line_without_data(std::string_view marks) noexcept {
    skip_blanks();
    bool const found = at_line_end() || marks.find(*at_) != std::string_view::npos;
    if (found) {
      skip_line();
    }
    return found;
  }

  /// Moves past the separator of two columns; returns false at the end of the line.
  ///
  /// @throws io_error  if there is something else
  bool skip_separator() {
    auto const* const start = at_;
    skip_blanks();
    if (at_ != end_ && (*at_ == ',' || *at_ == ';')) {
      ++at_;
      skip_blanks();
      return true;
    }
    if (at_line_end()) {
      return false;
    }
    if (at_ == start) {
      fail("does not belong to a number, nor separates two");
    }
    return true;
  }

  /// Moves over a separator that must be there because another column follows.
  ///
  /// @throws io_error  if the line ends
  void next_column(char const* what) {
    if (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == ',')) [[likely]] {
      ++at_;
      if (at_ != end_ && static_cast<unsigned char>(*at_ - '0') < 10) [[likely]] {
        return;
      }
      --at_;
    }
    if (!skip_separator()) {
      fail(glt::detail::message("the line ends where ", what, " should follow"));
    }
  }

  /// Reads an integer; `what` names it in errors, with its article.
  ///
  /// @throws io_error  if there is no integer, or it does not fit T
  template <std::integral T>
  [[nodiscard]] T integer(char const* what) {
    T value{};
    auto const fault = parse_integer(at_, end_, value);
    if (fault != number_fault::none) [[unlikely]] {
      fail_number(fault, what, "an integer", sizeof(T));
    }
    return value;
  }

  /// Reads an integer of 0 or more.
  ///
  /// @throws io_error  if there is no integer, it is negative, or it does not fit T
  template <std::integral T>
  [[nodiscard]] T natural(char const* what) {
    if (peek() == '-') [[unlikely]] {
      fail(glt::detail::message(what, " must not be negative"));
    }
    return integer<T>(what);
  }

  /// Reads a number.
  ///
  /// @throws io_error  if there is no number, or it does not fit T
  template <std::floating_point T>
  [[nodiscard]] T real(char const* what) {
    T value{};
    auto const fault = parse_real(at_, end_, value);
    if (fault != number_fault::none) [[unlikely]] {
      fail_number(fault, what, "a number", sizeof(T));
    }
    return value;
  }

  /// Reads the weight of an edge.
  ///
  /// @throws io_error  also if it is not 0, but smaller than any normal float
  [[nodiscard]] float weight(char const* what) {
    auto const start = *this;
    auto const value = real<float>(what);
    if (std::abs(value) < std::numeric_limits<float>::min()) [[unlikely]] {
      std::string_view const text(start.at_, static_cast<std::size_t>(at_ - start.at_));
      if (text.substr(0, text.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos) {
        start.fail(glt::detail::message(what,
                                        " is too small for a number of 32 bits; multiply all by a number, or make "
                                        "it 0"));
      }
    }
    return value;
  }

  /// Reads an integer or a floating-point number, depending on T.
  template <class T>
  [[nodiscard]] T number(char const* what) {
    if constexpr (std::integral<T>) {
      return integer<T>(what);
    } else {
      return real<T>(what);
    }
  }

  /// Reads up to the next blank, separator or line end; may be empty.
  [[nodiscard]] std::string_view word() noexcept {
    auto const* const start = at_;
    while (!at_line_end() && std::string_view(" \t,;").find(*at_) == std::string_view::npos) {
      ++at_;
    }
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  /// Moves to the next line after the last column of this line.
  ///
  /// @throws io_error  if another column follows; `columns` names the columns that the line should hold
  void end_line(char const* columns) {
    if (at_ != end_ && *at_ == '\n') [[likely]] {
      ++at_;
      return;
    }
    skip_blanks();
    if (!at_line_end()) {
      fail(glt::detail::message("the line should end here, behind ", columns));
    }
    skip_line();
  }

  /// Throws an `io_error` that names the line and quotes the text here.
  [[noreturn]] void fail(std::string const& what) const { source_->fail(at_, what); }

private:
  [[noreturn]] void fail_number(number_fault fault, char const* what, char const* kind, std::size_t bytes) const {
    if (fault == number_fault::missing) {
      fail(glt::detail::message(what, " should be here, as ", kind));
    }
    fail(glt::detail::message(what, " does not fit ", kind, " of ", bytes * 8, " bits"));
  }

  text_source const* source_;
  char const* at_;
  char const* end_;
};

} // namespace glt::io::detail
