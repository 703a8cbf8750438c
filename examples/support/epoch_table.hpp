// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace example {

/// Figures of epochs for people: a line of heads, and lines of numbers that stand below them.
class epoch_table {
public:
  enum class style { number, share }; ///< a share is shown as a percentage

  struct column {
    char const* head;
    int width;
    int digits = 0; ///< behind the point
    style how = style::number;
  };

  explicit epoch_table(std::vector<column> columns) : columns_(std::move(columns)) {}

  [[nodiscard]] std::string heads() const {
    std::string line;
    for (auto const& one : columns_) {
      append(line, one.head, one.width);
    }
    return line;
  }

  /// @shape  values, one per column
  [[nodiscard]] std::string row(std::span<double const> values) const {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      auto const& [head, width, digits, how] = columns_[i];
      std::array<char, 400> text{}; // room for every double
      std::snprintf(text.data(), text.size(), how == style::share ? "%.*f%%" : "%.*f", digits,
                    how == style::share ? 100 * values[i] : values[i]);
      append(line, text.data(), width);
    }
    return line;
  }

private:
  // A number that is too long pushes the others, but not into one.
  static void append(std::string& line, std::string const& text, int width) {
    auto const size = static_cast<std::size_t>(width);
    line.append(text.size() < size ? size - text.size() : line.empty() ? 0 : 1, ' ').append(text);
  }

  std::vector<column> columns_;
};

} // namespace example
