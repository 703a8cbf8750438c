// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/gather_edges.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/graph/hetero_schema.hpp>

namespace glt::detail {

/// Edges and vertices of all types, on their way to the parts.
struct typed_graph {
  hetero_schema schema;
  std::vector<std::int64_t> first; ///< vertex of every node type in the numbering of all types; see `first_vertices`
  std::vector<vertex_ids> vertices;
  std::vector<numbered_edges> edges;

  [[nodiscard]] vertex_ids const& sources_of(std::size_t edge_type) const {
    return vertices[static_cast<std::size_t>(schema.source_type(static_cast<int>(edge_type)))];
  }
  [[nodiscard]] vertex_ids const& destinations_of(std::size_t edge_type) const {
    return vertices[static_cast<std::size_t>(schema.destination_type(static_cast<int>(edge_type)))];
  }
};

/// In-edges of the vertices of a type at this home, in the numbering of all types.
struct home_rows {
  vertex_ids::directory_type const* homes = nullptr;
  gathered_rows rows;
};

/// Joins the rows of edge types: a row has the edges of the first type first. Edges lose their ids.
///
/// @shape  types: of num_rows rows each
/// @cost   O(rows · types + E); memory of the result
[[nodiscard]] inline gathered_rows join_rows(std::vector<gathered_rows> types, std::int64_t num_rows) {
  if (types.size() == 1) {
    return std::move(types[0]);
  }
  gathered_rows made;
  made.offsets.resize(num_rows + 1);
  std::int64_t num_edges = 0;
  for (auto const& type : types) {
    num_edges += type.columns.size();
  }
  made.columns.resize(num_edges);
  edge_offset next = 0;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    made.offsets[row] = next;
    for (auto const& type : types) {
      auto const degree = type.offsets[row + 1] - type.offsets[row];
      std::copy_n(type.columns.begin() + type.offsets[row], degree, made.columns.begin() + next);
      next += degree;
    }
  }
  made.offsets[num_rows] = next;
  return made;
}

/// Moves edges to the homes of their destinations: the rows of the graph that `make_homogeneous` makes of all types.
///
/// @shape  → [node types]
/// @comm   collective; as `vertex_ids::renumber` for every node type and `gather_edges` for every edge type, and a
///         header exchange
template <communicator Comm>
[[nodiscard]] std::vector<home_rows> gather_at_homes(Comm& comm, typed_graph& graph,
                                                     dist::local_data::options::duplicate_edges duplicates) {
  std::vector<home_rows> made;
  std::vector<std::vector<gathered_rows>> relations;
  auto failure = failure_of([&] {
    made.resize(graph.vertices.size());
    relations.resize(graph.vertices.size());
  });
  for (auto& vertices : graph.vertices) {
    buffer<device::cpu, local_id> here;
    attempt(failure, [&] {
      here.resize(vertices.directory().size());
      std::ranges::fill(here, comm.rank());
    });
    vertices.renumber(comm, failure, here.cview(), false);
  }
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    auto rows = gather_edges(comm, graph.edges[e], graph.sources_of(e), graph.destinations_of(e), nullptr, duplicates);
    attempt(failure, [&] {
      auto const type = static_cast<int>(e);
      rows.ids = {};
      for (auto& column : rows.columns) {
        column += graph.first[static_cast<std::size_t>(graph.schema.source_type(type))];
      }
      relations[static_cast<std::size_t>(graph.schema.destination_type(type))].push_back(std::move(rows));
    });
  }
  attempt(failure, [&] {
    for (std::size_t t = 0; t < made.size(); ++t) {
      made[t].homes = &graph.vertices[t].directory();
      made[t].rows = join_rows(std::move(relations[t]), made[t].homes->size());
    }
  });
  agree(comm, {.what = operation::shuffle, .hop = 56}, failure);
  return made;
}

/// In-edges of the vertices of all types at this home. They are numbered home after home, and in each type after type.
///
/// @shape  first_rows [node types + 1] of this home's rows by type
struct joined_homes {
  partition_book homes;
  std::vector<std::int64_t> first_rows;
  gathered_rows rows;

  [[nodiscard]] csr_view<memory_space::host, global_id> view() const {
    return {homes.num_vertices(), rows.offsets.cview(), rows.columns.cview()};
  }
};

/// Joins the rows of `gather_at_homes` and gives new numbers to their vertices; with one type the numbers stay.
///
/// @cost   O(V + E log(types · R)) of this home; memory of the result
[[nodiscard]] inline joined_homes join_homes(typed_graph const& graph, std::vector<home_rows> types, int rank) {
  auto const num_homes = graph.vertices[0].book().num_parts();
  std::vector<global_id> offsets{0};                                              // of homes
  std::vector<std::vector<global_id>> first(static_cast<std::size_t>(num_homes)); // of every home, by type
  for (int home = 0; home < num_homes; ++home) {
    auto next = offsets.back();
    for (auto const& vertices : graph.vertices) {
      first[static_cast<std::size_t>(home)].push_back(next);
      next += vertices.book().size(home);
    }
    offsets.push_back(next);
  }
  auto const renumbered = [&](global_id column) {
    auto const type = std::ranges::upper_bound(graph.first, column) - graph.first.begin() - 1;
    auto const number = column - graph.first[static_cast<std::size_t>(type)];
    auto const& book = graph.vertices[static_cast<std::size_t>(type)].book();
    auto const home = book.owner(number);
    return first[static_cast<std::size_t>(home)][static_cast<std::size_t>(type)] + number - book.begin(home);
  };
  joined_homes made{.homes = partition_book(std::move(offsets)), .first_rows = {0}, .rows = {}};
  std::int64_t num_edges = 0;
  for (auto const& type : types) {
    made.first_rows.push_back(made.first_rows.back() + type.homes->size());
    num_edges += type.rows.columns.size();
  }
  made.rows.offsets.resize(made.homes.size(rank) + 1);
  made.rows.columns.resize(num_edges);
  made.rows.offsets[0] = 0;
  for (std::size_t t = 0; t < types.size(); ++t) {
    auto const rows = std::move(types[t].rows); // freed before the next
    auto const first_row = made.first_rows[t];
    auto const first_edge = made.rows.offsets[first_row];
    for (std::int64_t row = 1; row < rows.offsets.size(); ++row) {
      made.rows.offsets[first_row + row] = first_edge + rows.offsets[row];
    }
    std::ranges::transform(rows.columns, made.rows.columns.begin() + first_edge, renumbered);
  }
  return made;
}

} // namespace glt::detail
