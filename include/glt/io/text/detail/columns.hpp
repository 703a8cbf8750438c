// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/text/detail/parse_lines.hpp>
#include <glt/io/text/detail/text_cursor.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Format of a text of columns.
struct column_options {
  std::int64_t columns = -1;     ///< on every line; −1: as many as the first line with data has
  std::int64_t header_lines = 0; ///< passed over at the beginning
};

/// First bytes of lines that are comments, in edge lists and tables.
inline constexpr std::string_view comment_marks = "#%";

// Counts the words on the line of a cursor, without a comment behind them.
inline std::int64_t count_columns(text_cursor cursor) {
  std::int64_t count = 1;
  cursor.skip_blanks();
  while (!cursor.word().empty() && cursor.skip_separator() &&
         comment_marks.find(cursor.peek()) == std::string_view::npos) {
    ++count;
  }
  return count;
}

inline void skip_header(text_source& source, std::int64_t lines) {
  if (lines < 0) {
    throw precondition_error(glt::detail::message("a header of ", lines, " lines; give 0 or more"));
  }
  for (std::int64_t line = 0; line < lines; ++line) {
    if (!next_line(source)) {
      throw io_error(source.path(), 0,
                     glt::detail::message("the text has ", line, " lines, and its header ", lines,
                                          "; check the number of header lines"));
    }
  }
}

template <class T>
class column_lines {
public:
  explicit column_lines(std::int64_t columns) : columns_(columns) {}

  [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }

  [[nodiscard]] column_lines fresh() const { return column_lines(columns_); }

  void parse(text_cursor cursor) {
    while (!cursor.done()) {
      if (cursor.skip_line_without_data(comment_marks)) {
        continue;
      }
      auto* const row = grow(columns_);
      row[0] = cursor.number<T>("a number");
      for (std::int64_t column = 1; column < columns_; ++column) {
        cursor.next_column("another column");
        row[column] = cursor.number<T>("a number");
      }
      cursor.end_line("as many columns as the first line has, or were asked for");
      ++rows_;
    }
  }

  void append(column_lines& other) {
    auto const count = other.rows_ * columns_;
    auto* const out = grow(count);
    if (count > 0) {
      std::memcpy(out, other.bytes_.data(), static_cast<std::size_t>(count * element));
    }
    rows_ += std::exchange(other.rows_, 0);
  }

  void reserve(double factor) {
    bytes_.resize(rows_ * columns_ * element);
    bytes_.reserve(static_cast<std::int64_t>(static_cast<double>(bytes_.size()) * factor * 1.02));
  }

  /// Returns the elements that were read and not yet removed.
  [[nodiscard]] host_view<T const> elements() const noexcept {
    return {reinterpret_cast<T const*>(bytes_.data()), rows_ * columns_};
  }
  void clear() noexcept { rows_ = 0; }

  [[nodiscard]] array finish() && {
    bytes_.resize(rows_ * columns_ * element);
    return {glt::detail::element_type_of<T>, {rows_, columns_}, std::move(bytes_)};
  }

private:
  static constexpr auto element = static_cast<std::int64_t>(sizeof(T));

  // Makes room for this many more elements after the rows.
  T* grow(std::int64_t count) {
    auto const used = rows_ * columns_ * element;
    bytes_.resize(used);
    bytes_.resize(used + count * element);
    return reinterpret_cast<T*>(bytes_.data() + used);
  }

  std::int64_t columns_;
  std::int64_t rows_ = 0;
  buffer<device::cpu, std::byte> bytes_;
};

/// Skips the header of a table and returns the reader of its lines.
template <class T>
column_lines<T> begin_columns(text_source& source, column_options const& options) {
  if (options.columns == 0 || options.columns < -1) {
    throw precondition_error(
        glt::detail::message("a table of ", options.columns, " columns; give 1 or more, or -1 for what there is"));
  }
  skip_header(source, options.header_lines);
  auto columns = options.columns;
  if (columns == -1) {
    auto const first = find_data(source, comment_marks);
    columns = first ? count_columns(*first) : 0;
  }
  return column_lines<T>(columns);
}

/// Reads a table of numbers: one row a line, columns separated by comma, semicolon, tab or blanks.
///
/// Empty lines and lines that begin with '#' or '%' are skipped. "nan" and "inf" are numbers if T can represent them.
///
/// @shape  [rows, columns]; [0, 0] if there are no rows and the number of columns is not given
/// @throws io_error            if a line has more or fewer columns, or something that is not a T
/// @throws precondition_error  if columns is 0 or below −1, header_lines is negative, or read.threads < 1
template <class T>
[[nodiscard]] array read_columns(text_source& source, column_options const& options = {},
                                 read_options const& read = {}) {
  auto lines = begin_columns<T>(source, options);
  parse_lines(source, read, "reading numbers", lines);
  return std::move(lines).finish();
}
template <class T>
[[nodiscard]] array read_columns(std::filesystem::path const& path, column_options const& options = {},
                                 read_options const& read = {}) {
  text_source source(path);
  return read_columns<T>(source, options, read);
}

} // namespace glt::io::detail
