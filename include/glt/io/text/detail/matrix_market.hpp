// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/edge_lines.hpp>
#include <glt/io/text/detail/text_cursor.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <filesystem>

namespace glt::io::detail {

// Header of a Matrix Market file.
struct matrix_market_header {
  enum class symmetry : std::uint8_t { general, symmetric, skew };
  bool values = true;
  symmetry kind = symmetry::general;
  std::int64_t size = 0;        // rows, and columns
  std::int64_t num_entries = 0; // in the file
};

inline constexpr std::string_view matrix_market_comments = "%";

// True if the next word of the line is this one, in small or capital letters; then moves past it.
inline bool skip_word(text_cursor& cursor, std::string_view word) {
  auto behind = cursor;
  behind.skip_blanks();
  auto const small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  bool const same = std::ranges::equal(behind.word(), word, {}, small, small);
  cursor = same ? behind : cursor;
  return same;
}

// Returns the index of the next word of the line in `words`.
template <std::size_t N>
std::size_t expect_word(text_cursor& cursor, std::array<std::string_view, N> const& words, char const* what) {
  for (std::size_t i = 0; i < N; ++i) {
    if (skip_word(cursor, words[i])) {
      return i;
    }
  }
  cursor.skip_blanks();
  cursor.fail(what);
}

inline matrix_market_header read_matrix_market_header(text_source& source) {
  matrix_market_header header;
  if (!source.load()) {
    source.fail(source.end_place(), ": the file is empty; a Matrix Market file begins with %%MatrixMarket");
  }
  text_cursor banner(source, source.unread());
  expect_word<1>(banner, {"%%matrixmarket"}, "a Matrix Market file begins with %%MatrixMarket");
  expect_word<1>(banner, {"matrix"}, "only a 'matrix' can be read");
  expect_word<1>(banner, {"coordinate"}, "only a 'coordinate' matrix, of entries with row and column, can be read");
  auto const field =
      expect_word<3>(banner, {"pattern", "real", "integer"}, "the entries must be 'pattern', 'real' or 'integer'");
  auto const kind = expect_word<3>(banner, {"general", "symmetric", "skew-symmetric"},
                                   "the matrix must be 'general', 'symmetric' or 'skew-symmetric'");
  banner.end_line("the kind of the matrix");
  header.values = field != 0;
  header.kind = std::array{matrix_market_header::symmetry::general, matrix_market_header::symmetry::symmetric,
                           matrix_market_header::symmetry::skew}[kind];
  next_line(source);

  auto line = find_data(source, matrix_market_comments);
  if (!line) {
    source.fail(source.end_place(), ": the file ends before the line of rows, columns and entries; make it again");
  }
  auto const start = *line;
  header.size = line->natural<std::int64_t>("a number of rows");
  line->next_column("the number of columns");
  if (line->natural<std::int64_t>("a number of columns") != header.size) {
    start.fail("a graph has a square matrix; read one that is not as an edge list, with types of its own");
  }
  line->next_column("the number of entries");
  header.num_entries = line->natural<std::int64_t>("a number of entries");
  line->end_line("rows, columns and entries");
  next_line(source);
  return header;
}

/// Parser of lines of row, column and value.
class matrix_market_lines {
public:
  explicit matrix_market_lines(matrix_market_header const& header) : header_(header) {}

  [[nodiscard]] matrix_market_lines fresh() const { return matrix_market_lines(header_); }

  void parse(text_cursor cursor) {
    using enum matrix_market_header::symmetry;
    while (!cursor.done()) {
      if (cursor.skip_line_without_data(matrix_market_comments)) {
        continue;
      }
      auto const start = cursor;
      auto const row = index(cursor, "a row");
      cursor.next_column("a column");
      auto const column = index(cursor, "a column");
      if (header_.kind != general && (column > row || (header_.kind == skew && column == row))) {
        start.fail("the entry is above the diagonal of a symmetric matrix, or on that of a skew-symmetric one; only "
                   "those below it are listed");
      }
      float value = 0;
      if (header_.values) {
        cursor.next_column("a value");
        value = cursor.weight("a value");
      }
      cursor.end_line(header_.values ? "row, column and value" : "row and column");
      add(row, column, value);
      if (header_.kind != general && row != column) {
        add(column, row, header_.kind == skew ? -value : value);
      }
      ++num_entries_;
    }
  }

  void append(matrix_market_lines& other) {
    append_and_clear(edges_, other.edges_);
    num_entries_ += std::exchange(other.num_entries_, 0);
  }
  void reserve(double factor) { reserve_times(edges_, factor); }

  [[nodiscard]] std::int64_t num_entries() const noexcept { return num_entries_; }
  /// Returns the edges that were read and not yet removed.
  [[nodiscard]] raw_data::edge_table& edges() noexcept { return edges_; }
  [[nodiscard]] raw_data::edge_table finish() && { return std::move(edges_); }

private:
  global_id index(text_cursor& cursor, char const* what) const {
    auto const start = cursor;
    auto const number = cursor.natural<global_id>(what);
    if (number < 1 || number > header_.size) [[unlikely]] {
      start.fail(glt::detail::message(what, " is a number from 1 to ", header_.size, " in this matrix"));
    }
    return number - 1;
  }

  void add(global_id source, global_id destination, float value) {
    edges_.sources.push_back(source);
    edges_.destinations.push_back(destination);
    if (header_.values) {
      edges_.weights.push_back(value);
    }
  }

  matrix_market_header header_;
  raw_data::edge_table edges_;
  std::int64_t num_entries_ = 0;
};

// Checks the counts at the end of the text.
inline void check_entries(text_source const& source, matrix_market_header const& header, std::int64_t num_entries) {
  if (num_entries != header.num_entries) {
    source.fail(source.end_place(), glt::detail::message(": the file has ", num_entries, " entries and says it has ",
                                                         header.num_entries, "; fetch or make it again"));
  }
  check_density(source.path(), header.size, header.num_entries,
                "leave out rows and columns without entries, or read the entries as an edge list with "
                "edge_list_options::relabel");
}

/// Reads a square sparse matrix as a graph: the entry in row i and column j, counted from 1, is an edge from i − 1 to
/// j − 1, its value the edge's weight; plain or gzip.
///
/// In a symmetric matrix, an entry off the diagonal becomes two edges, one after the other; in a skew-symmetric one,
/// the second edge has the negative weight. Entries of a pattern have no weights. Entries keep the order of the lines,
/// also if several are in the same place.
///
/// @throws io_error            if the file does not have this form, holds another kind of matrix, or its number of
///                             entries differs from its header
/// @throws precondition_error  if read.threads < 1
/// @source Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996
[[nodiscard]] inline raw_data read_matrix_market(text_source& source, read_options const& read = {}) {
  auto const header = read_matrix_market_header(source);
  matrix_market_lines lines(header);
  parse_lines(source, read, "reading entries", lines);
  check_entries(source, header, lines.num_entries());
  auto set = graph_of(source.path());
  set.nodes.front().num_nodes = header.size;
  set.edges.front() = std::move(lines).finish();
  return set;
}

[[nodiscard]] inline raw_data read_matrix_market(std::filesystem::path const& path, read_options const& read = {}) {
  text_source source(path);
  return read_matrix_market(source, read);
}

} // namespace glt::io::detail
