// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

template <memory_space Space, vertex_id Vertex>
struct part_view; // see dist/shared/shared_graph.hpp

} // namespace glt::detail

namespace glt {

/// One part of a partitioned graph: all edges into the vertices that the part owns.
///
/// Its size depends on the part, not on the graph.
template <device_policy Policy, vertex_id Column = global_id>
struct graph_part {
  using view_type = detail::part_view<Policy::space, Column>; ///< rows and original ids, as other ranks read them

  partition_book book;                ///< of the whole graph
  int part = 0;                       ///< index of this part
  csr_graph<Policy, Column> graph;    ///< rows are local ids, columns global ids; with original edge ids
  buffer<Policy, global_id> original; ///< [rows], original vertex ids
};

namespace detail {

inline void check_split(relabelling const& labels, int part, std::int64_t rows, char const* what) {
  if (part < 0 || part >= labels.book.num_parts()) {
    throw precondition_error(
        message("part ", part, " of a partition into ", labels.book.num_parts(), "; parts count from 0"));
  }
  if (labels.original.size() != labels.book.num_vertices() || labels.renumbered.size() != labels.original.size()) {
    throw precondition_error(message("relabelling of ", labels.original.size(), " original and ",
                                     labels.renumbered.size(), " new ids for ", labels.book.num_vertices(),
                                     " vertices; make it with make_relabelling"));
  }
  if (rows != labels.book.num_vertices()) {
    throw precondition_error(message("split of ", rows, " ", what, " by a relabelling of ", labels.book.num_vertices(),
                                     " vertices; the numbers must be equal"));
  }
}

// Returns the original ids of the part's vertices.
inline host_view<global_id const> originals_of(relabelling const& labels, int part) {
  return labels.original.view().subview(labels.book.begin(part), labels.book.size(part));
}

// Cuts the rows `own` out of a graph; columns get their new ids.
template <vertex_id Column, device_policy Policy, vertex_id Vertex>
csr_graph<Policy, Column> cut_rows(csr_view<memory_space::host, Vertex> graph, host_view<global_id const> own,
                                   relabelling const& columns, Policy const& policy) {
  static_cast<void>(narrow<Column>(graph.num_columns(), "number of vertices"));
  buffer<Policy, edge_offset> offsets(own.size() + 1, policy);
  offsets[0] = 0;
  for (std::int64_t r = 0; r < own.size(); ++r) {
    offsets[r + 1] = offsets[r] + graph.degree(own[r]);
  }
  buffer<Policy, Column> sources(offsets[own.size()], policy);
  buffer<Policy, edge_id> edge_ids(offsets[own.size()], policy);
  for (std::int64_t r = 0; r < own.size(); ++r) {
    auto const shift = offsets[r] - graph.offset(own[r]);
    for (auto e = graph.offset(own[r]); e < graph.offset(own[r] + 1); ++e) {
      sources[e + shift] = static_cast<Column>(columns.renumbered[graph.source(e)]);
      edge_ids[e + shift] = graph.id_of_edge(e);
    }
  }
  return {graph.num_columns(), std::move(offsets), std::move(sources), std::move(edge_ids)};
}

} // namespace detail

/// Cuts one part out of a graph: rows in new local ids, columns in new global ids, edges of a row in their old order.
/// Edge ids are the results of `id_of_edge`; without ids in the graph, positions in the rows of the whole graph.
///
/// @shape  graph [V] rows, [V] columns → part of book.size(part) rows
/// @where  memory of `Policy`; the host cuts, and copies the result if that memory is elsewhere
/// @pre    sources are in [0, V); not checked, see `validate`
/// @throws precondition_error  if there is no such part, the graph and the relabelling do not have the same
///                             number of vertices, or a new id does not fit `Column`
/// @cost   O(rows + edges) of the part, in time and memory
template <vertex_id Column = global_id, device_policy Policy = device::cpu, vertex_id Vertex>
[[nodiscard]] graph_part<Policy, Column> split_graph(csr_view<memory_space::host, Vertex> graph,
                                                     relabelling const& labels, int part, Policy policy = {}) {
  detail::check_split(labels, part, graph.num_rows(), "rows");
  detail::check_split(labels, part, graph.num_columns(), "columns");
  auto const own = detail::originals_of(labels, part);
  if constexpr (host_policy<Policy>) {
    auto rows = detail::cut_rows<Column>(graph, own, labels, policy);
    return {labels.book, part, std::move(rows), make_buffer<Policy>(own, policy)};
  } else {
    auto const rows = detail::cut_rows<Column>(graph, own, labels, device::cpu());
    return {labels.book, part, copy<Policy>(rows.view(), policy), make_buffer<Policy>(own, policy)};
  }
}

/// Cuts the rows of one part out of a matrix. Rows have original ids in the matrix, and the part's order in the result.
///
/// @shape  rows [V, F] → [book.size(part) · F]
/// @where  memory of `Policy`; the host cuts, and copies the result if that memory is elsewhere
/// @throws precondition_error  if there is no such part, or the matrix does not have one row per vertex
template <device_policy Policy = device::cpu, class T>
[[nodiscard]] auto split_rows(host_matrix<T> rows, relabelling const& labels, int part, Policy policy = {}) {
  detail::check_split(labels, part, rows.rows(), "rows");
  if constexpr (host_policy<Policy>) {
    auto const own = detail::originals_of(labels, part);
    buffer<Policy, std::remove_const_t<T>> taken(own.size() * rows.columns(), policy);
    for (std::int64_t r = 0; r < own.size(); ++r) {
      std::ranges::copy(rows.row(own[r]), taken.begin() + r * rows.columns());
    }
    return taken;
  } else {
    return make_buffer(split_rows<device::cpu>(rows, labels, part), policy);
  }
}

/// Cuts the elements of one part out of an array. Elements have original ids in the array, and the part's order in the
/// result.
///
/// @shape  values [V] → [book.size(part)]
/// @where  memory of `Policy`; the host cuts, and copies the result if that memory is elsewhere
/// @throws precondition_error  if there is no such part, or the array does not have one element per vertex
template <device_policy Policy = device::cpu, class T>
[[nodiscard]] auto split_rows(host_view<T> values, relabelling const& labels, int part, Policy policy = {}) {
  return split_rows(host_matrix<T>(values.data(), values.size(), 1), labels, part, std::move(policy));
}

/// One part of a partitioned heterogeneous graph: the part's vertices of every node type, and all edges into them.
///
/// Its size depends on the part, not on the graph.
template <device_policy Policy, vertex_id Column = global_id>
struct hetero_part {
  using view_type = typename graph_part<Policy, Column>::view_type; ///< of all types

  hetero_schema schema;                             ///< of the whole graph
  std::vector<partition_book> books;                ///< by node type, of the whole graph
  int part = 0;                                     ///< index of this part
  std::vector<csr_graph<Policy, Column>> relations; ///< by edge type; rows are local ids of the destination type,
                                                    ///< columns global ids of the source type
  std::vector<buffer<Policy, global_id>> original;  ///< by node type, original ids of the part's vertices
};

namespace detail {

/// Cuts the rows of one part out of a relation. Rows get new local ids of the destination type, columns new global ids
/// of the source type; edges of a row keep their order, and edge ids are the results of `id_of_edge`.
///
/// @shape  relation [rows.book.num_vertices()] rows, [columns.book.num_vertices()] columns →
///         rows.book.size(part) rows
/// @where  memory of `Policy`, which the host must reach
/// @pre    sources are in [0, num_columns()); not checked, see `validate`
/// @throws precondition_error  if there is no such part, a relabelling does not have as many vertices as the
///                             relation rows or columns, or a new id does not fit `Column`
/// @cost   O(rows + edges) of the part, in time and memory
template <vertex_id Column = global_id, device_policy Policy = device::cpu, vertex_id Vertex>
  requires(host_accessible(Policy::space))
[[nodiscard]] csr_graph<Policy, Column> split_relation(csr_view<memory_space::host, Vertex> relation,
                                                       relabelling const& rows, relabelling const& columns, int part,
                                                       Policy policy = {}) {
  detail::check_split(rows, part, relation.num_rows(), "rows");
  detail::check_split(columns, part, relation.num_columns(), "columns");
  return detail::cut_rows<Column>(relation, detail::originals_of(rows, part), columns, policy);
}

} // namespace detail

/// Cuts one part out of a heterogeneous graph.
///
/// @shape  labels [node types], into the same number of parts
/// @where  memory of `Policy`, which the host must reach
/// @pre    sources are vertices of their type; not checked, see `validate`
/// @throws precondition_error  if there is not one relabelling per node type, one has another number of parts
///                             than the first or, naming the edge type, as `split_relation`
/// @cost   O(rows + edges) of the part, in time and memory
template <vertex_id Column = global_id, device_policy Policy = device::cpu, vertex_id Vertex>
  requires(detail::host_accessible(Policy::space))
[[nodiscard]] hetero_part<Policy, Column> split_graph(hetero_view<memory_space::host, Vertex> graph,
                                                      std::span<relabelling const> labels, int part,
                                                      Policy policy = {}) {
  auto const& schema = graph.schema();
  if (std::ssize(labels) != schema.num_node_types()) {
    throw precondition_error(detail::message(labels.size(), " relabellings for ", schema.num_node_types(),
                                             " node types; give one per type"));
  }
  hetero_part<Policy, Column> made{.schema = schema, .books = {}, .part = part, .relations = {}, .original = {}};
  for (int t = 0; t < schema.num_node_types(); ++t) {
    auto const& of_type = labels[static_cast<std::size_t>(t)];
    auto const vertices = "vertices of type '" + schema.node_types()[static_cast<std::size_t>(t)].name + "'";
    detail::check_split(of_type, part, schema.num_vertices(t), vertices.c_str());
    if (of_type.book.num_parts() != labels[0].book.num_parts()) {
      throw precondition_error(detail::message(of_type.book.num_parts(), " parts of the ", vertices, ", but ",
                                               labels[0].book.num_parts(),
                                               " parts of the first type; make as many of each"));
    }
    made.books.push_back(of_type.book);
    made.original.push_back(make_buffer<Policy>(detail::originals_of(of_type, part), policy));
  }
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    made.relations.push_back(
        detail::split_relation<Column>(graph.relation(e), labels[static_cast<std::size_t>(schema.destination_type(e))],
                                       labels[static_cast<std::size_t>(schema.source_type(e))], part, policy));
  }
  return made;
}

} // namespace glt
