// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace glt::detail {

/// Options, rules and neighbour samplers of link samplers on one process, by the type of graph.
template <device_policy Policy, class Rule, class Graph>
struct link_kind;

/// Graphs without types: one vertex type and one edge type.
template <device_policy Policy, class Rule, memory_space GraphSpace, vertex_id Vertex>
struct link_kind<Policy, Rule, csr_view<GraphSpace, Vertex>> {
  using graph_type = csr_view<GraphSpace, Vertex>;
  using options_type = link_options;
  using rules_type = Rule;
  using originals_type = array_view<GraphSpace, global_id const>;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;
  using rule_type = link_rule<Policy::space, Rule>;
  using sampler_type = neighbor_sampler<Policy, Vertex, rule_type, GraphSpace>;

  static link_types types(graph_type const&, options_type const& options) { return types_of(options); }
  static std::size_t num_node_types(graph_type const&) noexcept { return 1; }
  static rules_type rules_without_data(graph_type const&) { return {}; }
  static Rule const& rule_of(rules_type const& rules, int) noexcept { return rules; }
  static graph_type relation(graph_type const& graph, int) noexcept { return graph; }
  static originals_type original(originals_type const& original, int) noexcept { return original; }
  static rule_type neighbor_rules(rules_type const& rule) { return make_link_rule<Policy::space>(rule); }
  static void set_rule(sampler_type& sampler, int, rule_type rule) noexcept { sampler.set_rule(rule); }
};

template <device_policy Policy, class Rule, memory_space GraphSpace, vertex_id Vertex>
struct link_kind<Policy, Rule, hetero_view<GraphSpace, Vertex>> {
  using graph_type = hetero_view<GraphSpace, Vertex>;
  using options_type = hetero_link_options;
  using rules_type = std::vector<Rule>;
  using originals_type = std::vector<array_view<GraphSpace, global_id const>>;
  using subgraph_type = hetero_subgraph<Policy, Vertex>;
  using rule_type = link_rule<Policy::space, Rule>;
  using sampler_type = hetero_neighbor_sampler<Policy, Vertex, rule_type, GraphSpace>;

  static link_types types(graph_type const& graph, options_type const& options) {
    return types_of(options, graph.schema());
  }
  static std::size_t num_node_types(graph_type const& graph) noexcept { return graph.schema().node_types().size(); }
  static rules_type rules_without_data(graph_type const& graph) {
    return rules_type(graph.schema().edge_types().size());
  }
  static Rule const& rule_of(rules_type const& rules, int edge_type) noexcept {
    return rules[static_cast<std::size_t>(edge_type)];
  }
  static csr_view<GraphSpace, Vertex> relation(graph_type const& graph, int edge_type) {
    return graph.relation(edge_type);
  }
  static array_view<GraphSpace, global_id const> original(originals_type const& original, int node_type) noexcept {
    return original.empty() ? array_view<GraphSpace, global_id const>() : original[static_cast<std::size_t>(node_type)];
  }
  static std::vector<rule_type> neighbor_rules(rules_type const& rules) {
    std::vector<rule_type> made;
    for (auto const& rule : rules) {
      made.push_back(make_link_rule<Policy::space>(rule));
    }
    return made;
  }
  static void set_rule(sampler_type& sampler, int edge_type, rule_type rule) noexcept {
    sampler.set_rule(edge_type, rule);
  }
};

} // namespace glt::detail
