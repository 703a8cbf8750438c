// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/copy_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/graph_part.hpp>
#include <glt/partition/relabel.hpp>

namespace glt {

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
    return {labels.book, part, copy_graph<Policy>(rows.view(), policy), make_buffer<Policy>(own, policy)};
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

} // namespace glt
