// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>

namespace glt::detail {

/// Borrowed part of the edges of one type: this rank's rows, and how all rows are divided among the ranks.
///
/// @shape  local: rows are vertices of the part of the destination type, columns global ids of the source type
template <memory_space Space, vertex_id Vertex>
struct relation_part {
  csr_view<Space, Vertex> local;
  partition_book destinations;
  int part;

  [[nodiscard]] std::int64_t num_sources() const noexcept { return local.num_columns(); }
  [[nodiscard]] std::int64_t num_destinations() const noexcept { return destinations.num_vertices(); }
};

/// Returns the edges of a graph without types, which is one relation.
template <device_policy Policy, vertex_id Vertex>
[[nodiscard]] relation_part<Policy::space, Vertex> part_of_relation(dist::graph<Policy, Vertex> const& graph,
                                                                    int /*edge_type*/ = 0) {
  return {graph.local(), graph.book(), graph.part()};
}
/// @pre    the edge type exists; not checked
template <device_policy Policy, vertex_id Vertex>
[[nodiscard]] relation_part<Policy::space, Vertex> part_of_relation(dist::hetero_graph<Policy, Vertex> const& graph,
                                                                    int edge_type) {
  return {graph.local(edge_type), graph.book(graph.schema().destination_type(edge_type)), graph.part()};
}

/// Options and rules of link samplers across ranks, by the type of graph.
template <class Rule, class Graph>
struct link_relations;

template <class Rule, device_policy Policy, vertex_id Vertex>
struct link_relations<Rule, dist::graph<Policy, Vertex>> : plain_link_rules<Policy::space, Rule> {
  static partition_book const& book(dist::graph<Policy, Vertex> const& graph, int) noexcept { return graph.book(); }
};

template <class Rule, device_policy Policy, vertex_id Vertex>
struct link_relations<Rule, dist::hetero_graph<Policy, Vertex>> : hetero_link_rules<Policy::space, Rule> {
  static partition_book const& book(dist::hetero_graph<Policy, Vertex> const& graph, int node_type) noexcept {
    return graph.book(node_type);
  }
};

} // namespace glt::detail
