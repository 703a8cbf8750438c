// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt::io::detail {

/// Data set as one graph, in memory or on disk: vertices of all types in one numbering, type after type, and edges
/// likewise.
///
/// It is the graph that `make_homogeneous` makes in memory. A row has the edges of the first type first, and each
/// type's edges in the order of their ids. The data set must outlive it.
///
/// Concurrent calls: const members may run concurrently.
class all_types {
public:
  /// @throws precondition_error  as `hetero_schema`
  explicit all_types(raw_data_view data)
      : data_(std::move(data)), schema_(detail::schema_of(data_)), first_vertex_(glt::detail::first_vertices(schema_)) {
    for (auto const& table : data_.edges) {
      first_edge_.push_back(first_edge_.back() + table.columns.sources.size());
    }
  }

  [[nodiscard]] raw_data_view const& data() const noexcept { return data_; }
  [[nodiscard]] hetero_schema const& schema() const noexcept { return schema_; }
  [[nodiscard]] std::int64_t num_vertices() const noexcept { return first_vertex_.back(); }
  [[nodiscard]] std::int64_t num_edges() const noexcept { return first_edge_.back(); }

  /// Returns the number of the first vertex of a node type; `first_edge`, of the first edge of an edge type.
  ///
  /// @pre    the type exists or is the number of types; not checked
  [[nodiscard]] global_id first_vertex(int type) const { return first_vertex_[static_cast<std::size_t>(type)]; }
  [[nodiscard]] edge_id first_edge(int type) const { return first_edge_[static_cast<std::size_t>(type)]; }

  [[nodiscard]] std::vector<global_id> train() const {
    std::vector<global_id> made;
    for (std::size_t t = 0; t < data_.nodes.size(); ++t) {
      for (auto const vertex : data_.nodes[t].train) {
        made.push_back(first_vertex_[t] + vertex);
      }
    }
    return made;
  }

private:
  raw_data_view data_;
  hetero_schema schema_;
  std::vector<std::int64_t> first_vertex_;
  std::vector<edge_id> first_edge_{0};
};

/// Returns the ends of the edges of a type, which are checked whenever they are read.
///
/// @pre    the type exists; not checked
[[nodiscard]] inline checked_pairs ends_of(all_types const& graph, int edge_type) {
  auto made = checked_ends(graph.data().edges[static_cast<std::size_t>(edge_type)], graph.data());
  made.of_type = graph.schema().num_edge_types() > 1 ? " of " + graph.schema().name_of_edge_type(edge_type) : "";
  return made;
}

/// Counts the edges of all types into every vertex and checks their ends; every rank reads its slices of the edges.
///
/// @shape  → [V of all types]
/// @comm   collective; one header exchange an edge type, and a reduction of 8 bytes a vertex of its destinations
/// @throws collective_error  as `count_in_edges` of one type
template <communicator Comm>
[[nodiscard]] std::vector<std::int64_t> count_in_edges(Comm& comm, all_types const& graph) {
  auto const& schema = graph.schema();
  std::vector<std::int64_t> counts(static_cast<std::size_t>(graph.num_vertices()), 0);
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const destination = schema.destination_type(e);
    auto const of_type = count_in_edges(comm, graph.data().edges[static_cast<std::size_t>(e)].columns,
                                        ends_of(graph, e), [](global_id vertex) { return vertex; });
    for (std::size_t v = 0; v < of_type.size(); ++v) {
      counts[static_cast<std::size_t>(graph.first_vertex(destination)) + v] += of_type[v];
    }
  }
  return counts;
}

/// Directions in which edges go to the rows of their ends.
enum class row_edges {
  into, ///< to the rows of their destinations
  both  ///< to the rows of both ends
};

/// Moves the edges of all types, in the numbering of all types, to the ranks that keep their rows. They wait there in
/// spills until `compress_range` makes the rows. Ids of reverses follow all others and ascend with the columns, so rows
/// are in the order of `make_both_directions`.
///
/// @comm   collective; as `spill_edges` for every edge type
/// @throws collective_error  on every rank, as `spill_edges` for one type
template <communicator Comm, class RankOfRow>
void spill_edges(Comm& comm, all_types const& graph, memory_plan const& plan,
                 task_progress::callback const& on_progress, RankOfRow rank_of_row, edge_spill& spill,
                 row_edges directions = row_edges::into) {
  auto const& schema = graph.schema();
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const first_row = graph.first_vertex(schema.destination_type(e));
    auto const first_column = graph.first_vertex(schema.source_type(e));
    auto const first_id = graph.first_edge(e);
    auto const ends = ends_of(graph, e);
    spill_edges(
        comm, ends,
        [&](edge_id i, global_id source, global_id destination) {
          return moving_edge{first_row + destination, first_column + source, first_id + i};
        },
        plan, on_progress, rank_of_row, spill);
    if (directions == row_edges::both) {
      spill_edges(
          comm, ends,
          [&](edge_id, global_id source, global_id destination) {
            auto const column = first_row + destination;
            return moving_edge{first_column + source, column, graph.num_edges() + column};
          },
          plan, on_progress, rank_of_row, spill);
    }
  }
}

} // namespace glt::io::detail
