// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/edge_lines.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <filesystem>

namespace glt::io {

/// Format of an edge list, and numbering of its vertices.
struct edge_list_options {
  /// Content of a column: `source` and `destination`, numbers of vertices; `weight`, a number kept as float; `time`, an
  /// integer; `ignored`, any word.
  using column = detail::edge_column;

  /// Columns of a line; source and destination come before them unless the list has both. If empty, a third column is a
  /// weight, and a fourth is refused.
  std::vector<column> columns{};
  char delimiter = 0;             ///< separator of columns; 0 stands for blanks, tabs, commas and semicolons
  std::int64_t header_lines = 0;  ///< skipped at the beginning
  global_id first_vertex = 0;     ///< the lowest vertex number in the file, such as 1; becomes 0
  std::int64_t num_vertices = -1; ///< −1: one more than the largest number
  bool relabel = false;           ///< numbers the vertices that have edges from 0, without gaps, in ascending order
};

namespace detail {

// Numbers the vertices that occur from 0 without gaps, in ascending order, and returns their old ids. O(E): sorts all
// ends of edges at once.
inline std::vector<global_id> renumber(std::vector<global_id>& sources, std::vector<global_id>& destinations) {
  auto const num_edges = std::ssize(sources);
  buffer<device::cpu, global_id> ends(2 * num_edges);
  buffer<device::cpu, std::int64_t> places(2 * num_edges);
  for (std::int64_t i = 0; i < num_edges; ++i) {
    auto const edge = static_cast<std::size_t>(i);
    ends[i] = sources[edge];
    ends[num_edges + i] = destinations[edge];
    places[i] = i;
    places[num_edges + i] = num_edges + i;
  }
  exec::sequential{}.sort_by_key(ends.view(), places.view());
  std::vector<global_id> original;
  for (std::int64_t i = 0; i < 2 * num_edges; ++i) {
    if (original.empty() || original.back() != ends[i]) {
      original.push_back(ends[i]);
    }
    auto const place = places[i];
    auto const number = std::ssize(original) - 1;
    if (place < num_edges) {
      sources[static_cast<std::size_t>(place)] = number;
    } else {
      destinations[static_cast<std::size_t>(place - num_edges)] = number;
    }
  }
  return original;
}

inline void check(edge_list_options const& options) {
  if (options.num_vertices < -1 || options.first_vertex < 0) {
    throw precondition_error(glt::detail::message("edge list of ", options.num_vertices, " vertices from ",
                                                  options.first_vertex, " on; give 0 or more of each"));
  }
  auto const count = [&](edge_column column) { return std::ranges::count(options.columns, column); };
  if (count(edge_column::weight) > 1 || count(edge_column::time) > 1) {
    throw precondition_error("edge list with two columns of weights or of times; name one, and ignore the other");
  }
  if (count(edge_column::source) > 1 || count(edge_column::source) != count(edge_column::destination)) {
    throw precondition_error("edge list with other than one source and one destination; name each once, or neither");
  }
  if (std::string_view("\"\r\n#%-+.").find(options.delimiter) != std::string_view::npos ||
      (options.delimiter >= '0' && options.delimiter <= '9')) {
    throw precondition_error(glt::detail::message("columns separated by '", options.delimiter,
                                                  "', which belongs to numbers, quotes, comments or lines"));
  }
  if (options.relabel && (options.num_vertices != -1 || options.first_vertex != 0)) {
    throw precondition_error("edge list to be relabelled, with a number of vertices or a first one; leave them out");
  }
}

inline constexpr char const* sparse_numbers_way_out =
    "number those that have edges from 0 without gaps, as read_edge_list does with edge_list_options::relabel, and "
    "examples/convert.py with tables; or, if there are as many vertices, call the library with "
    "edge_list_options::num_vertices";

/// Skips the header, and returns the parser of the lines behind it.
inline edge_lines begin_edges(text_source& source, edge_list_options const& options) {
  check(options);
  skip_header(source, options.header_lines);
  auto columns = options.columns;
  if (columns.empty()) {
    auto first = find_data(source, comment_marks);
    if (first) {
      first->separate_by(options.delimiter);
    }
    auto const count = first ? count_columns(*first) : 2;
    if (count > 3) {
      first->fail(glt::detail::message("the line has ", count, " columns; name them: glt-partition --columns ",
                                       "src,dst,weight,time,ignored, or edge_list_options::columns"));
    }
    columns.assign(count == 3 ? 1 : 0, edge_column::weight);
  }
  auto const limit = options.num_vertices == -1 ? std::numeric_limits<global_id>::max() : options.num_vertices;
  return {std::move(columns), options.first_vertex, limit, options.delimiter};
}

/// Reads an edge list from an open text; see `io::read_edge_list`.
[[nodiscard]] inline raw_data read_edge_list(text_source& source, edge_list_options const& options = {},
                                             read_options const& read = {}) {
  auto lines = begin_edges(source, options);
  parse_lines(source, read, "reading edges", lines);

  auto set = graph_of(source.path());
  auto& edges = set.edges.front();
  auto& nodes = set.nodes.front();
  auto const largest = lines.largest();
  edges = std::move(lines).finish();
  if (options.relabel) {
    auto original = renumber(edges.sources, edges.destinations);
    nodes.num_nodes = std::ssize(original);
    nodes.features.push_back({"original_id", array::of<std::int64_t>({original.data(), nodes.num_nodes})});
  } else if (options.num_vertices != -1) {
    nodes.num_nodes = options.num_vertices;
  } else {
    nodes.num_nodes = largest + 1;
    check_density(source.path(), nodes.num_nodes, std::ssize(edges.sources), sparse_numbers_way_out);
  }
  return set;
}

} // namespace detail

/// Reads a list of edges, one a line: source, destination, and the columns of `options.columns`; plain or gzip. Columns
/// are separated by blanks, tabs, commas or semicolons, or by `options.delimiter`. The format of SNAP, KONECT and many
/// others.
///
/// Empty lines and comments, which begin with '#' or '%', are skipped; numbers may be in double quotes. Edges keep the
/// order of the lines. With `options.relabel`, the vertices have a feature "original_id", int64 [V], with the numbers
/// of the file.
///
/// @throws io_error            if a line is not an edge, a vertex is not below num_vertices, or there are so many more
///                             vertices than edges that the numbers should be relabelled
/// @throws precondition_error  if the options contradict each other, or read.threads < 1
/// @cost   16 bytes an edge, and the text of one piece at a time; 80 bytes an edge with `relabel`
[[nodiscard]] inline raw_data read_edge_list(std::filesystem::path const& path, edge_list_options const& options = {},
                                             read_options const& read = {}) {
  detail::text_source source(path);
  return detail::read_edge_list(source, options, read);
}

} // namespace glt::io
