// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/text_cursor.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Content of a column of an edge list.
enum class edge_column : std::uint8_t {
  source,      ///< number of a vertex
  destination, ///< number of a vertex
  weight,      ///< a number, kept as float
  time,        ///< an integer
  ignored      ///< any word
};

template <class T>
void append_and_clear(std::vector<T>& out, std::vector<T>& in) {
  out.insert(out.end(), in.begin(), in.end());
  in.clear();
}

template <class T>
void reserve_times(std::vector<T>& values, double factor) {
  values.reserve(static_cast<std::size_t>(static_cast<double>(values.size()) * factor * 1.02));
}

inline void append_and_clear(raw_data::edge_table& out, raw_data::edge_table& in) {
  append_and_clear(out.sources, in.sources);
  append_and_clear(out.destinations, in.destinations);
  append_and_clear(out.weights, in.weights);
  append_and_clear(out.times, in.times);
}

inline void reserve_times(raw_data::edge_table& edges, double factor) {
  reserve_times(edges.sources, factor);
  reserve_times(edges.destinations, factor);
  reserve_times(edges.weights, factor);
  reserve_times(edges.times, factor);
}

/// Parser of lines of columns. If these are without source and destination, the two come before them.
class edge_lines {
public:
  edge_lines(std::vector<edge_column> columns, global_id first_vertex, std::int64_t num_vertices, char delimiter = 0)
      : columns_(std::move(columns)), first_(first_vertex), num_vertices_(num_vertices), delimiter_(delimiter) {
    if (std::ranges::find(columns_, edge_column::source) == columns_.end()) {
      columns_.insert(columns_.begin(), {edge_column::source, edge_column::destination});
    }
  }

  [[nodiscard]] edge_lines fresh() const { return {columns_, first_, num_vertices_, delimiter_}; }

  void parse(text_cursor cursor) {
    cursor.separate_by(delimiter_);
    while (!cursor.done()) {
      if (cursor.skip_line_without_data(comment_marks)) {
        continue;
      }
      read(cursor, columns_.front());
      for (auto const column : std::span(columns_).subspan(1)) {
        cursor.next_column(name_of(column));
        read(cursor, column);
      }
      if (cursor.peek() != '\n') {
        cursor.skip_comment(comment_marks);
      }
      cursor.end_line("source, destination and the columns asked for or found on the first line");
    }
  }

  void append(edge_lines& other) {
    append_and_clear(edges_, other.edges_);
    largest_ = std::max(largest_, other.largest_);
  }
  void reserve(double factor) { reserve_times(edges_, factor); }

  /// Returns the largest vertex; −1 if there is no edge.
  [[nodiscard]] global_id largest() const noexcept { return largest_; }
  /// Returns the edges that were read and not yet removed.
  [[nodiscard]] raw_data::edge_table& edges() noexcept { return edges_; }
  [[nodiscard]] raw_data::edge_table finish() && { return std::move(edges_); }

private:
  global_id vertex(text_cursor& cursor, char const* what) const {
    auto const start = cursor;
    auto const id = cursor.natural<global_id>(what) - first_;
    if (id < 0 || id >= num_vertices_) [[unlikely]] {
      start.fail(id < 0 ? glt::detail::message(what, " is below the first one, ", first_, "; check the options")
                        : glt::detail::message(what, " is none of ", num_vertices_, " vertices from ", first_,
                                               " on; check the options and the file"));
    }
    return id;
  }

  static char const* name_of(edge_column column) noexcept {
    static constexpr std::array names{"a source vertex", "a destination vertex", "a weight", "a time",
                                      "another column"};
    return names[static_cast<std::size_t>(column)];
  }

  void read(text_cursor& cursor, edge_column column) {
    if (column == edge_column::ignored) {
      static_cast<void>(cursor.word());
      return;
    }
    auto const* const name = name_of(column);
    bool const quoted = cursor.skip_quote();
    if (column == edge_column::weight) {
      edges_.weights.push_back(cursor.weight(name));
    } else if (column == edge_column::time) {
      edges_.times.push_back(cursor.integer<std::int64_t>(name));
    } else {
      auto const id = vertex(cursor, name);
      largest_ = std::max(largest_, id);
      (column == edge_column::source ? edges_.sources : edges_.destinations).push_back(id);
    }
    if (quoted && !cursor.skip_quote()) {
      cursor.fail("a quote should end here");
    }
  }

  std::vector<edge_column> columns_;
  global_id first_;
  std::int64_t num_vertices_;
  char delimiter_;
  raw_data::edge_table edges_;
  global_id largest_ = -1;
};

// Makes a data set of one type of vertices and one of edges, named after the file up to its first dot.
inline raw_data graph_of(std::filesystem::path const& path) {
  auto const file = path.filename().string();
  raw_data set;
  set.name = file.substr(0, file.find('.', 1));
  set.nodes.emplace_back();
  set.edges.emplace_back();
  return set;
}

// Throws for too many vertices: every vertex costs memory later, so a few bytes of text must not request very many.
inline void check_density(std::filesystem::path const& path, std::int64_t num_vertices, std::int64_t num_edges,
                          char const* way_out) {
  constexpr std::int64_t always = std::int64_t{1} << 20;
  constexpr std::int64_t per_edge = 64;
  if (num_vertices > always && num_vertices / per_edge > num_edges) {
    throw io_error(path.string(), 0,
                   glt::detail::message("has ", num_edges, " edges and numbers vertices up to ", num_vertices - 1,
                                        ", most of which have none; ", way_out));
  }
}

} // namespace glt::io::detail
