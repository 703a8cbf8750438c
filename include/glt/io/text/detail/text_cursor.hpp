// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/text/detail/text_source.hpp>

#include <charconv>
#include <system_error>

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

/// Cursor over the lines in memory of a `text_source`, number by number; every fault is an `io_error` with its line.
///
/// Columns are separated by blanks or tabs, by one ',' or ';', or by both; or by the byte that `separate_by` names,
/// with blanks on both sides. Lines end with "\n" or "\r\n"; the last line may end with the text.
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

  /// Takes one byte as the only separator of columns; 0 for the usual ones.
  void separate_by(char delimiter) noexcept { delimiter_ = delimiter; }

  void skip_blanks() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t') && *at_ != delimiter_) {
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
    if (at_ != end_ && (delimiter_ == 0 ? *at_ == ',' || *at_ == ';' : *at_ == delimiter_)) {
      ++at_;
      skip_blanks();
      return true;
    }
    if (at_line_end()) {
      return false;
    }
    if (at_ == start || delimiter_ != 0) {
      fail("does not belong to a number, nor separates two");
    }
    return true;
  }

  /// Moves over a separator that must be there because another column follows.
  ///
  /// @throws io_error  if the line ends
  void next_column(char const* what) {
    if (delimiter_ == 0 && at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == ',')) [[likely]] {
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

  /// Reads up to the next separator outside of quotes, or to the line end; may be empty.
  [[nodiscard]] std::string_view word() noexcept {
    auto const* const start = at_;
    bool quoted = peek() == '"';
    auto const separators = delimiter_ == 0 ? std::string_view(" \t,;") : std::string_view(&delimiter_, 1);
    while (!at_line_end() && (quoted || separators.find(*at_) == std::string_view::npos)) {
      ++at_;
      quoted = quoted != (peek() == '"'); // two quotes within quotes stand for one
    }
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  /// Moves past a quote that may be here; returns true if it was.
  bool skip_quote() noexcept {
    bool const found = peek() == '"';
    at_ += found ? 1 : 0;
    return found;
  }

  /// Moves to the end of the line, if a comment begins here, behind blanks.
  void skip_comment(std::string_view marks) noexcept {
    skip_blanks();
    while (!at_line_end() && (marks.empty() || marks.find(*at_) != std::string_view::npos)) {
      ++at_;
      marks = {};
    }
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
  char delimiter_ = 0;
};

} // namespace glt::io::detail
