// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/relabel.hpp>

namespace glt {

namespace detail {

/// Makes one graph with all vertices in one numbering, type after type, and the edges of all types.
///
/// A row has the edges of the first type first. Edges have no ids: positions differ between types.
///
/// @shape  → one row and column per vertex of any type
/// @pre    sources are vertices of their type; not checked, see `validate`
/// @throws precondition_error  if there are more vertices than a `Vertex` can number
/// @cost   O(V + E), in time and memory
template <vertex_id Vertex>
[[nodiscard]] csr_graph<device::cpu, Vertex> make_homogeneous(hetero_view<memory_space::host, Vertex> graph) {
  auto const& schema = graph.schema();
  auto const first = first_vertices(schema);
  static_cast<void>(narrow<Vertex>(first.back(), "number of vertices of all types"));
  buffer<device::cpu, edge_offset> offsets(first.back() + 1);
  for (auto& offset : offsets) {
    offset = 0;
  }
  auto const rows_of = [&](int e) { return first[static_cast<std::size_t>(schema.destination_type(e))]; };
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    for (std::int64_t r = 0; r < graph.relation(e).num_rows(); ++r) {
      offsets[rows_of(e) + r + 1] += graph.relation(e).degree(r);
    }
  }
  for (std::int64_t r = 0; r < first.back(); ++r) {
    offsets[r + 1] += offsets[r];
  }
  buffer<device::cpu, Vertex> sources(offsets[first.back()]);
  std::vector<edge_offset> next(offsets.begin(), offsets.end());
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const first_column = static_cast<Vertex>(first[static_cast<std::size_t>(schema.source_type(e))]);
    for (std::int64_t r = 0; r < graph.relation(e).num_rows(); ++r) {
      for (auto const source : graph.relation(e).row(r)) {
        sources[next[static_cast<std::size_t>(rows_of(e) + r)]++] = static_cast<Vertex>(first_column + source);
      }
    }
  }
  return {first.back(), std::move(offsets), std::move(sources)};
}

} // namespace detail

/// Divides the vertices of every type over parts, by a partitioner that sees the edges of all types.
///
/// A partitioner with `balance_limit::types` among its limits gives every part its share of every type; without it, the
/// vertices of a type may be concentrated in some parts.
/// types may gather in some of the parts.
///
/// @shape  → [node types]
/// @throws precondition_error  if num_parts < 1, or as `make_homogeneous`
/// @cost   as the partitioner and `make_homogeneous`
template <vertex_id Vertex, partitioner<Vertex> Partitioner>
[[nodiscard]] std::vector<relabelling> partition_by_type(hetero_view<memory_space::host, Vertex> graph,
                                                         Partitioner const& partitioner, int num_parts) {
  auto const whole = detail::make_homogeneous(graph);
  auto const part_of = partitioner(whole.view(), num_parts);
  std::vector<relabelling> made;
  std::int64_t first = 0;
  for (auto const& type : graph.schema().node_types()) {
    made.push_back(make_relabelling(part_of.view().subview(first, type.num_vertices), num_parts));
    first += type.num_vertices;
  }
  return made;
}

} // namespace glt
