// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace glt_partition {

/// Takes the fields of a line of a WordNet file one by one; knows where in the file it stands.
class wordnet_line {
public:
  wordnet_line(glt::io::detail::input_file const& file, std::string_view line, std::int64_t start)
      : file_(&file), line_(line), start_(start) {}

  /// Byte of the file at which the next field begins.
  [[nodiscard]] std::int64_t position() const { return start_ + static_cast<std::int64_t>(at_); }

  [[noreturn]] void fail(std::int64_t position, std::string const& what) const { file_->fail(position, what); }

  /// The next field, up to a space.
  std::string_view word(char const* what) {
    auto const end = line_.find(' ', at_);
    if (end == std::string_view::npos || end == at_) {
      fail(position(), std::string("the line has no ") + what + " here; install wordnet-base again");
    }
    auto const found = line_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }

  /// The next field, a number of so many digits.
  std::int64_t number(char const* what, std::size_t digits, int base) {
    auto const begin = position();
    auto const text = word(what);
    std::int64_t value = -1;
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (fault != std::errc() || end != text.data() + text.size() || text.size() != digits || value < 0) {
      fail(begin, std::string("the ") + what + " is '" + std::string(text) + "', not a number of " +
                      std::to_string(digits) + " digits; install wordnet-base again");
    }
    return value;
  }

  /// The rest of the line: sentence frames, if it may have them, a bar, and the gloss.
  std::string_view gloss(bool frames) {
    if (frames) {
      for (auto count = number("number of frames", 2, 10); count > 0; --count) {
        bar('+', "frame");
        number("frame", 2, 10);
        number("word of the frame", 2, 16);
      }
    }
    bar('|', "gloss");
    return line_.substr(at_);
  }

private:
  void bar(char expected, char const* what) {
    if (at_ + 1 >= line_.size() || line_[at_] != expected || line_[at_ + 1] != ' ') {
      fail(position(), std::string("the line has no ") + what + " here; install wordnet-base again");
    }
    at_ += 2;
  }

  glt::io::detail::input_file const* file_;
  std::string_view line_;
  std::int64_t start_;
  std::size_t at_ = 0;
};

} // namespace glt_partition
