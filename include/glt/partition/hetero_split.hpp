// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/split.hpp>

namespace glt {

/// One part of a partitioned heterogeneous graph: the part's vertices of every node type, and all edges into them.
///
/// Its size depends on the part, not on the graph.
template <device_policy Policy, vertex_id Column = global_id>
struct hetero_part {
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
                                               " of those of the first type; make as many of each"));
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
