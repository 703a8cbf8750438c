// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/edge_lines.hpp>
#include <glt/io/text/detail/text_cursor.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Memory of `find_one_sided`, made before ranks wait for each other's sums.
struct one_sided_sums {
  static constexpr std::size_t most_ranges = 4096;
  std::vector<std::uint64_t> sums;
  std::vector<std::int64_t> halves; // 32 bits each, whose sums over ranks fit

  one_sided_sums() {
    sums.reserve(most_ranges);
    halves.reserve(2 * most_ranges);
  }
};

/// Returns the first pair of different vertices whose edges differ between the two directions: in number, or in
/// weights. Nothing if every edge has its reverse; self-loops are their own reverse.
///
/// Compares sums of 64-bit hashes, so a difference is missed with a probability of 2⁻⁶⁴.
///
/// `reduce(sums)` adds up the sums of all ranks; every rank calls it equally often, and allocates nothing before.
///
/// @pre    all ids are in [0, num_vertices); not checked
/// @cost   O(E) once, and up to 12 times if there is such a pair
template <class Reduce>
[[nodiscard]] std::optional<std::pair<global_id, global_id>>
find_one_sided(edge_columns const& edges, std::int64_t num_vertices, one_sided_sums& memory, Reduce reduce) {
  constexpr auto most_ranges = static_cast<std::int64_t>(one_sided_sums::most_ranges);
  auto& [sums, halves] = memory;
  auto const difference = [&](std::int64_t e, global_id low, global_id high) {
    auto const weight = edges.weights.empty() ? 0U : std::bit_cast<std::uint32_t>(edges.weights[e] + 0.0F);
    auto const hash =
        glt::detail::mix64(glt::detail::mix64(static_cast<std::uint64_t>(low)) + static_cast<std::uint64_t>(high)) +
        weight;
    auto const mixed = glt::detail::mix64(hash);
    return edges.sources[e] == low ? mixed : -mixed;
  };
  // Returns the first key in [0, V) whose edges do not cancel out; key(low, high) is −1 for edges to leave out.
  auto const search = [&](auto key) -> std::optional<global_id> {
    global_id first = 0;
    auto size = num_vertices;
    bool found = false;
    while (size > 0 && (!found || size > 1)) {
      auto const step = (size + most_ranges - 1) / most_ranges;
      sums.assign(static_cast<std::size_t>((size + step - 1) / step), 0);
      for (std::int64_t e = 0; e < edges.sources.size(); ++e) {
        auto const [low, high] = std::minmax({edges.sources[e], edges.destinations[e]});
        auto const place = key(low, high) - first;
        if (low != high && place >= 0 && place < size) {
          sums[static_cast<std::size_t>(place / step)] += difference(e, low, high);
        }
      }
      halves.clear();
      for (auto const sum : sums) {
        halves.push_back(static_cast<std::int64_t>(sum & 0xFFFFFFFFU));
        halves.push_back(static_cast<std::int64_t>(sum >> 32));
      }
      reduce(std::span<std::int64_t>(halves));
      std::size_t range = 0;
      while (range < sums.size() && static_cast<std::uint64_t>(halves[2 * range]) +
                                            (static_cast<std::uint64_t>(halves[2 * range + 1]) << 32) ==
                                        0) {
        ++range;
      }
      if (range == sums.size()) {
        return std::nullopt;
      }
      found = true;
      first += static_cast<std::int64_t>(range) * step;
      size = std::min(step, size - static_cast<std::int64_t>(range) * step);
    }
    return found ? std::optional(first) : std::nullopt;
  };
  auto const low = search([](global_id one, global_id) { return one; });
  if (!low) {
    return std::nullopt;
  }
  auto const high = search([&](global_id one, global_id other) { return one == *low ? other : global_id{-1}; });
  return high ? std::optional(std::pair(*low, *high)) : std::nullopt;
}

// First line of a METIS graph file.
struct metis_header {
  std::int64_t num_vertices = 0;
  std::int64_t num_edges = 0; // undirected ones, each of which is listed twice
  bool vertex_sizes = false;
  std::int64_t num_weights = 0; // of a vertex
  bool edge_weights = false;
  std::int64_t first_line = 0; // of the file, below the header
};

inline constexpr std::string_view metis_comments = "%";

inline metis_header read_metis_header(text_source& source) {
  auto line = find_data(source, metis_comments);
  if (!line) {
    source.fail(source.end_place(), ": there is no line of vertices and edges; a METIS graph begins with one");
  }
  metis_header header;
  header.num_vertices = line->natural<std::int64_t>("a number of vertices");
  line->next_column("the number of edges");
  header.num_edges = line->natural<std::int64_t>("a number of edges");
  if (line->skip_separator()) {
    auto const start = *line;
    auto const format = line->word();
    if (format.empty() || format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) {
      start.fail("the format is three digits 0 or 1: vertex sizes, vertex weights, edge weights");
    }
    auto const digit = [&](std::size_t from_right) {
      return format.size() >= from_right && format[format.size() - from_right] == '1';
    };
    header.edge_weights = digit(1);
    header.num_weights = digit(2) ? 1 : 0;
    header.vertex_sizes = digit(3);
    if (line->skip_separator()) {
      auto const place = *line;
      auto const count = line->natural<std::int64_t>("a number of weights");
      constexpr std::int64_t most = 1 << 16; // so that a row of weights is no larger than a line of text
      if ((count != 0) != (header.num_weights != 0) || count > most) {
        place.fail(glt::detail::message("the number of weights of a vertex is 0 without vertex weights and 1 to ", most,
                                        " with them"));
      }
      header.num_weights = count;
    }
  }
  line->end_line("vertices, edges, format and number of weights");
  next_line(source);
  header.first_line = source.place(source.unread().data()).line;
  return header;
}

/// Parser of lines of neighbours, one for every vertex.
class metis_lines {
public:
  static constexpr bool counts_rows = true;

  /// Starts after the first `rows_before` lines of the graph.
  explicit metis_lines(metis_header const& header, std::int64_t rows_before = 0)
      : header_(header), rows_before_(rows_before) {}

  [[nodiscard]] metis_lines fresh() const { return metis_lines(header_, rows_before_); }

  static std::int64_t count_rows(text_cursor cursor) {
    std::int64_t count = 0;
    while (!cursor.done()) {
      count += cursor.peek() == '%' ? 0 : 1;
      cursor.skip_line();
    }
    return count;
  }

  void parse(text_cursor cursor, std::int64_t row) {
    row += rows_before_;
    while (!cursor.done()) {
      if (cursor.peek() == '%') {
        note_comment(row);
        cursor.skip_line();
        continue;
      }
      cursor.skip_blanks();
      if (row >= header_.num_vertices) {
        if (!cursor.at_line_end()) {
          cursor.fail(glt::detail::message("the graph has ", header_.num_vertices,
                                           " vertices, whose lines are all above; check the first line"));
        }
      } else {
        parse_row(cursor, row);
        ++num_rows_;
      }
      cursor.skip_line();
      ++row;
    }
  }

  void append(metis_lines& other) {
    append_and_clear(edges_, other.edges_);
    append_and_clear(sizes_, other.sizes_);
    append_and_clear(weights_, other.weights_);
    append_and_clear(comments_, other.comments_);
    num_rows_ += std::exchange(other.num_rows_, 0);
    num_neighbors_ += std::exchange(other.num_neighbors_, 0);
  }
  void reserve(double factor) {
    reserve_times(edges_, factor);
    reserve_times(sizes_, factor);
    reserve_times(weights_, factor);
  }

  [[nodiscard]] std::int64_t num_rows() const noexcept { return num_rows_; }
  [[nodiscard]] std::int64_t num_neighbors() const noexcept { return num_neighbors_; }

  /// Counts the comments that were read above a row.
  [[nodiscard]] std::int64_t comments_above(std::int64_t row) const {
    std::int64_t count = 0;
    for (auto const& [below, number] : comments_) {
      count += below <= row ? number : 0;
    }
    return count;
  }

  /// Returns the edges that were read and not yet removed; likewise sizes and weights of vertices.
  [[nodiscard]] raw_data::edge_table& edges() noexcept { return edges_; }
  [[nodiscard]] std::vector<std::int64_t>& sizes() noexcept { return sizes_; }
  [[nodiscard]] std::vector<std::int64_t>& weights() noexcept { return weights_; }

private:
  void note_comment(std::int64_t row) {
    if (comments_.empty() || comments_.back().first != row) {
      comments_.emplace_back(row, 0);
    }
    ++comments_.back().second;
  }

  void parse_row(text_cursor& cursor, std::int64_t row) {
    bool more = !cursor.at_line_end();
    if (header_.vertex_sizes) {
      sizes_.push_back(own_number(cursor, "the size of the vertex", more));
    }
    for (std::int64_t i = 0; i < header_.num_weights; ++i) {
      weights_.push_back(own_number(cursor, "a weight of the vertex", more));
    }
    while (more) {
      auto const start = cursor;
      auto const neighbor = cursor.natural<global_id>("a neighbour");
      if (neighbor < 1 || neighbor > header_.num_vertices) [[unlikely]] {
        start.fail(glt::detail::message("a neighbour is a number from 1 to ", header_.num_vertices, " in this graph"));
      }
      edges_.sources.push_back(row);
      edges_.destinations.push_back(neighbor - 1);
      ++num_neighbors_;
      if (header_.edge_weights) {
        cursor.next_column("the weight of an edge");
        edges_.weights.push_back(cursor.weight("the weight of an edge"));
      }
      more = cursor.skip_separator();
    }
  }

  static std::int64_t own_number(text_cursor& cursor, char const* what, bool& more) {
    if (!more) {
      cursor.fail(glt::detail::message("the line ends where ", what, " should follow"));
    }
    auto const value = cursor.natural<std::int64_t>(what);
    more = cursor.skip_separator();
    return value;
  }

  metis_header header_;
  std::int64_t rows_before_;
  raw_data::edge_table edges_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> weights_;
  std::vector<std::pair<std::int64_t, std::int64_t>> comments_; // row below, and number of comments
  std::int64_t num_rows_ = 0;
  std::int64_t num_neighbors_ = 0;
};

// Checks the counts at the end of the text.
inline void check_counts(text_source const& source, metis_header const& header, std::int64_t num_rows,
                         std::int64_t num_neighbors) {
  if (num_rows != header.num_vertices) {
    source.fail(source.end_place(), glt::detail::message(": the file ends behind ", num_rows, " of ",
                                                         header.num_vertices, " vertices; fetch or make it again"));
  }
  if (num_neighbors % 2 != 0 || num_neighbors / 2 != header.num_edges) {
    source.fail(source.end_place(),
                glt::detail::message(": the file lists ", num_neighbors, " neighbours, not two for each of ",
                                     header.num_edges, " edges; list every edge on the lines of both its ends"));
  }
}

// Refuses an edge that the lines of its ends do not list equally often and with the same weights. `reduce(numbers)`
// sums over ranks, all of which throw the same error; only that error is allocated.
template <class Reduce>
void check_both_ways(std::string const& path, metis_header const& header, metis_lines const& lines,
                     edge_columns const& edges, one_sided_sums& memory, Reduce reduce) {
  auto const found = find_one_sided(edges, header.num_vertices, memory, reduce);
  if (!found) {
    return;
  }
  auto [one, other] = *found;
  std::array<std::int64_t, 4> counts{0, 0, lines.comments_above(one), lines.comments_above(other)};
  for (std::int64_t e = 0; e < edges.sources.size(); ++e) {
    counts[0] += edges.sources[e] == one && edges.destinations[e] == other ? 1 : 0;
    counts[1] += edges.sources[e] == other && edges.destinations[e] == one ? 1 : 0;
  }
  reduce(std::span<std::int64_t>(counts));
  if (counts[0] < counts[1]) {
    std::swap(one, other);
    std::swap(counts[2], counts[3]);
  }
  auto const line_of = [&](global_id vertex, std::int64_t comments) { return header.first_line + vertex + comments; };
  bool const weights_differ = counts[0] == counts[1];
  throw io_error(path, 0,
                 glt::detail::message("line ", line_of(one, counts[2]), ": vertex ", one + 1, " lists vertex ",
                                      other + 1, ", but line ", line_of(other, counts[3]), " of vertex ", other + 1,
                                      weights_differ ? " lists" : " does not list", " vertex ", one + 1,
                                      weights_differ ? " with another weight" : " as often",
                                      "; list every edge on the lines of both its ends, with one weight"));
}

/// Reads a graph in the format of METIS, Chaco and KaHIP: a line for every vertex that lists its neighbours, counted
/// from 1; plain or gzip.
///
/// A neighbour on the line of a vertex is an edge from the vertex to it. The format lists an undirected edge on both
/// lines, so it becomes two edges. Weights of edges become edge weights, weights of vertices the feature "weight",
/// int64 [V, weights], and sizes of vertices the feature "size", int64 [V]. Lines that begin with '%' are comments; an
/// empty line is a vertex without neighbours.
///
/// @throws io_error            if the file does not have this form, its counts of vertices or edges differ from its
///                             header, or an edge is on the line of one end only, or has two weights
/// @throws precondition_error  if read.threads < 1
/// @source Karypis: METIS 5.1.0 manual, section 4.1.1
[[nodiscard]] inline raw_data read_metis_graph(text_source& source, read_options const& read = {}) {
  auto const header = read_metis_header(source);
  metis_lines lines(header);
  parse_lines(source, read, "reading neighbours", lines);
  check_counts(source, header, lines.num_rows(), lines.num_neighbors());
  one_sided_sums memory;
  check_both_ways(source.path(), header, lines, lines.edges().view().columns, memory, [](std::span<std::int64_t>) {});
  auto set = graph_of(source.path());
  set.nodes.front().num_nodes = header.num_vertices;
  auto& features = set.nodes.front().features;
  if (header.vertex_sizes) {
    features.push_back({"size", array::of(host_view<std::int64_t const>(lines.sizes()))});
  }
  if (header.num_weights > 0) {
    features.push_back({"weight", array::of(host_view<std::int64_t const>(lines.weights()),
                                            {header.num_vertices, header.num_weights})});
  }
  set.edges.front() = std::move(lines.edges());
  return set;
}

[[nodiscard]] inline raw_data read_metis_graph(std::filesystem::path const& path, read_options const& read = {}) {
  text_source source(path);
  return read_metis_graph(source, read);
}

} // namespace glt::io::detail
