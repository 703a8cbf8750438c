// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/text_cursor.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Takes the next line without its end; nothing at the end of the text. The line stays valid until the next `load`.
///
/// @throws io_error  as `text_source::load`
inline std::optional<std::string_view> next_line(text_source& source) {
  if (!source.load()) {
    return std::nullopt;
  }
  auto const text = source.unread();
  auto const stop = text.find('\n');
  source.skip(stop == std::string_view::npos ? text.size() : stop + 1);
  auto line = text.substr(0, stop);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

/// Moves to the next line with data; returns a cursor over this line and the lines after it in memory.
///
/// @throws io_error  as `text_source::load`
inline std::optional<text_cursor> find_data(text_source& source, std::string_view marks) {
  while (source.load()) {
    auto const text = source.unread();
    text_cursor cursor(source, text);
    while (!cursor.done()) {
      auto const passed = static_cast<std::size_t>(cursor.at() - text.data());
      if (!cursor.skip_line_without_data(marks)) {
        source.skip(passed);
        return text_cursor(source, source.unread());
      }
    }
    source.skip(text.size());
  }
  return std::nullopt;
}

/// Parser that collects the content of lines.
///
/// - `lines.parse(cursor)`: reads all lines of the cursor and appends them. If `Lines::counts_rows`, the call is
///   `lines.parse(cursor, first_row)` with the number of rows before the cursor, and `Lines::count_rows(cursor)`
///   returns the number of rows in some lines
/// - `lines.append(other)`: moves the content of `other`, which read later lines, to the end
/// - `lines.reserve(factor)`: reserves memory for about `factor` times the present content
/// - `lines.fresh()`: an empty parser of the same kind of lines
template <class L>
concept line_reader = requires(L& lines, L const& same, double factor) {
  lines.append(lines);
  lines.reserve(factor);
  { same.fresh() } -> std::same_as<L>;
};

// Cuts text into `count` pieces of about the same size at line ends; some may be empty.
inline std::vector<std::string_view> cut_lines(std::string_view text, int count) {
  std::vector<std::string_view> parts;
  for (int left = count; left > 0; --left) {
    auto const share = text.size() / static_cast<std::size_t>(left);
    auto const stop = left == 1 ? std::string_view::npos : text.find('\n', share);
    auto const size = stop == std::string_view::npos ? text.size() : stop + 1;
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return parts;
}

/// Reads the rest of a text with several threads, piece by piece. The result, and the fault that is reported, do not
/// depend on the number of threads.
///
/// After every piece, `take(lines)` gets the content read so far; it may remove content from `lines` to free memory.
///
/// @throws io_error            as the lines do: the fault of the first line at fault
/// @throws precondition_error  if read.threads < 1
template <line_reader Lines, class Take>
void parse_pieces(text_source& source, read_options const& read, std::string_view what, Lines& lines, Take take) {
  glt::detail::thread_pool pool(read.threads);
  std::vector<Lines> others;
  for (int thread = 1; thread < read.threads; ++thread) {
    others.push_back(lines.fresh());
  }
  std::vector<std::int64_t> first_row(static_cast<std::size_t>(read.threads) + 1, 0);
  while (source.load(read.threads)) {
    auto const text = source.unread();
    auto const parts = cut_lines(text, read.threads);
    if constexpr (requires { Lines::counts_rows; }) {
      first_row[0] = first_row.back();
      pool.run([&](int worker) {
        auto const w = static_cast<std::size_t>(worker);
        first_row[w + 1] = Lines::count_rows(text_cursor(source, parts[w]));
      });
      for (std::size_t w = 1; w < first_row.size(); ++w) {
        first_row[w] += first_row[w - 1];
      }
    }
    pool.run([&](int worker) {
      auto const w = static_cast<std::size_t>(worker);
      auto& own = worker == 0 ? lines : others[w - 1];
      if constexpr (requires { Lines::counts_rows; }) {
        own.parse(text_cursor(source, parts[w]), first_row[w]);
      } else {
        own.parse(text_cursor(source, parts[w]));
      }
    });
    for (auto& other : others) {
      lines.append(other);
    }
    source.skip(text.size());
    take(lines);
    if (read.on_progress) {
      read.on_progress({what, "bytes", source.bytes_read(), source.bytes_total()});
    }
  }
}

/// Reads the rest of a text into `out`; as `parse_pieces`.
///
/// @throws as `parse_pieces`
template <line_reader Lines>
void parse_lines(text_source& source, read_options const& read, std::string_view what, Lines& out) {
  bool first_piece = true;
  parse_pieces(source, read, what, out, [&](Lines& lines) {
    if (std::exchange(first_piece, false) && !source.packed()) { // a packed file may promise anything
      lines.reserve(static_cast<double>(source.bytes_total()) / static_cast<double>(source.bytes_read()));
    }
  });
}

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
