// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/progress.hpp>
#include <glt/io/text/detail/text_cursor.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/memory/memory.hpp>

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

} // namespace glt::io::detail
