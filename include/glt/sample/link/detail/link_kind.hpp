// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/detail/link_rules.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Options, rules and neighbour samplers of link samplers on one process, by the type of graph.
template <device_policy Policy, class Rule, class Graph>
struct link_kind;

template <device_policy Policy, class Rule, memory_space GraphSpace, vertex_id Vertex>
struct link_kind<Policy, Rule, csr_view<GraphSpace, Vertex>> : plain_link_rules<Policy::space, Rule> {
  using graph_type = csr_view<GraphSpace, Vertex>;
  using originals_type = array_view<GraphSpace, global_id const>;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;
  using rule_type = link_rule<Policy::space, Rule>;
  using sampler_type = neighbor_sampler<Policy, Vertex, rule_type, GraphSpace>;

  static graph_type relation(graph_type const& graph, int) noexcept { return graph; }
  static originals_type original(originals_type const& original, int) noexcept { return original; }
  static void set_rule(sampler_type& sampler, int, rule_type rule) noexcept { sampler.set_rule(rule); }
};

template <device_policy Policy, class Rule, memory_space GraphSpace, vertex_id Vertex>
struct link_kind<Policy, Rule, hetero_view<GraphSpace, Vertex>> : hetero_link_rules<Policy::space, Rule> {
  using graph_type = hetero_view<GraphSpace, Vertex>;
  using originals_type = std::vector<array_view<GraphSpace, global_id const>>;
  using subgraph_type = hetero_subgraph<Policy, Vertex>;
  using rule_type = link_rule<Policy::space, Rule>;
  using sampler_type = hetero_neighbor_sampler<Policy, Vertex, rule_type, GraphSpace>;

  static csr_view<GraphSpace, Vertex> relation(graph_type const& graph, int edge_type) {
    return graph.relation(edge_type);
  }
  static array_view<GraphSpace, global_id const> original(originals_type const& original, int node_type) noexcept {
    return original.empty() ? array_view<GraphSpace, global_id const>() : original[static_cast<std::size_t>(node_type)];
  }
  static void set_rule(sampler_type& sampler, int edge_type, rule_type rule) noexcept {
    sampler.set_rule(edge_type, rule);
  }
};

} // namespace glt::detail
