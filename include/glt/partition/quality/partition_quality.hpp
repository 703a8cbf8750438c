// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>

namespace glt {

namespace detail {

/// Number of edges of a part, of a type, or of a graph.
struct edge_counts {
  std::int64_t num_edges = 0;     ///< of a part: into its vertices
  std::int64_t num_cut_edges = 0; ///< edges of these whose ends are in different parts

  /// Returns cut edges by edges; 0 without edges.
  [[nodiscard]] double cut_fraction() const noexcept {
    return num_edges == 0 ? 0 : static_cast<double>(num_cut_edges) / static_cast<double>(num_edges);
  }

  edge_counts& operator+=(edge_counts const& other) noexcept {
    num_edges += other.num_edges;
    num_cut_edges += other.num_cut_edges;
    return *this;
  }
  friend bool operator==(edge_counts const&, edge_counts const&) = default;
};

/// Counts of a part: its vertices and edges, its halo, and its rows in the halos of other parts.
struct part_counts : detail::edge_counts {
  std::int64_t num_vertices = 0;
  std::int64_t num_boundary_vertices = 0; ///< vertices at an end of a cut edge, in either direction
  std::int64_t halo_size = 0;             ///< distinct remote sources of its edges
  std::int64_t communication_volume = 0;  ///< summed over its vertices: other parts that have the vertex in their halo
  std::int64_t num_train = 0;
  std::int64_t num_valid = 0;
  std::int64_t num_test = 0;

  part_counts& operator+=(part_counts const& other) noexcept {
    detail::edge_counts::operator+=(other);
    num_vertices += other.num_vertices;
    num_boundary_vertices += other.num_boundary_vertices;
    halo_size += other.halo_size;
    communication_volume += other.communication_volume;
    num_train += other.num_train;
    num_valid += other.num_valid;
    num_test += other.num_test;
    return *this;
  }
  friend bool operator==(part_counts const&, part_counts const&) = default;
};

/// Counts of all parts together, and of every part.
///
/// @shape  parts [P]
struct part_table : part_counts {
  std::vector<part_counts> parts{};

  /// Returns the average number of copies of a vertex: vertices and halos by vertices; 1 without vertices.
  [[nodiscard]] double replication_factor() const noexcept {
    return num_vertices == 0 ? 1 : static_cast<double>(num_vertices + halo_size) / static_cast<double>(num_vertices);
  }

  /// Returns the largest count of a part by the mean of all parts, such as balance(&part_counts::num_train); 1 if all
  /// are 0.
  template <class Counts>
  [[nodiscard]] double balance(std::int64_t Counts::* count) const noexcept {
    std::int64_t largest = 0;
    for (auto const& part : parts) {
      largest = std::max(largest, part.*count);
    }
    auto const total = static_cast<double>(this->*count);
    return largest == 0 ? 1 : static_cast<double>(largest) * static_cast<double>(parts.size()) / total;
  }

  friend bool operator==(part_table const&, part_table const&) = default;
};

/// Counts of the vertices of one type and of the edges into them.
///
/// The halo and the boundary are vertices of this type.
struct node_type_quality : part_table {
  std::string name;

  friend bool operator==(node_type_quality const&, node_type_quality const&) = default;
};

/// Counts of the edges of one type, in total and by part.
///
/// @shape  parts [P]
struct edge_type_quality : edge_counts {
  edge_type type;
  std::vector<edge_counts> parts{};

  friend bool operator==(edge_type_quality const&, edge_type_quality const&) = default;
};

} // namespace detail

/// Measures of the quality of an assignment of vertices to parts.
///
/// The communication volume is the number of rows that parts send if each needs the sources of its edges once: Σ over
/// vertices u of the number of parts, other than the part of u, that have an edge from u. It is the sum of the halos; a
/// part sends its volume and receives its halo.
///
/// @shape  edges_between [P * P], row-major
/// @source Hendrickson and Kolda, "Graph partitioning models for parallel computing", Parallel Computing 26,
///         2000: communication volume and boundary vertices, beside the edge cut
struct partition_quality : detail::part_table {
  std::int64_t smallest_part = 0;            ///< vertices
  std::int64_t largest_part = 0;             ///< vertices
  std::vector<std::int64_t> edges_between{}; ///< from part i to part j; on the diagonal, edges inside of a part
  std::vector<detail::node_type_quality> node_types{}; ///< empty if the vertices have no types
  std::vector<detail::edge_type_quality> edge_types{}; ///< empty if the edges have no types

  [[nodiscard]] int num_parts() const noexcept { return static_cast<int>(parts.size()); }

  /// Returns the number of edges from vertices of one part to vertices of another or the same part.
  ///
  /// @pre    parts are in [0, num_parts()); not checked
  [[nodiscard]] std::int64_t edges(int from, int to) const noexcept {
    return edges_between[static_cast<std::size_t>(from) * parts.size() + static_cast<std::size_t>(to)];
  }

  friend bool operator==(partition_quality const&, partition_quality const&) = default;
};

namespace detail {

/// Splits of the vertices, by id; a vertex that is listed twice counts twice.
struct vertex_splits {
  host_view<global_id const> train{};
  host_view<global_id const> valid{};
  host_view<global_id const> test{};
};

} // namespace detail

} // namespace glt
