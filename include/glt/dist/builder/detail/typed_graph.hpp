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
                                                     dist::build_options::duplicate_edges duplicates) {
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

} // namespace glt::detail
