// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>
#include <glt/sample/link/link_options.hpp>

#include <cstddef>
#include <vector>

namespace glt::detail {

/// Options and rules of link samplers across ranks, by the type of graph.
template <class Rule, class Graph>
struct link_relations;

/// Graphs without types: one vertex type and one edge type.
template <class Rule, device_policy Policy, vertex_id Vertex>
struct link_relations<Rule, dist::graph<Policy, Vertex>> {
  using graph_type = dist::graph<Policy, Vertex>;
  using options_type = link_options;
  using rules_type = Rule;

  static link_types types(graph_type const&, options_type const& options) { return types_of(options); }
  static std::size_t num_node_types(graph_type const&) noexcept { return 1; }
  static partition_book const& book(graph_type const& graph, int) noexcept { return graph.book(); }
  static rules_type rules_without_data(graph_type const&) { return {}; }
  static Rule const& rule_of(rules_type const& rule, int) noexcept { return rule; }
  static auto neighbor_rules(rules_type const& rule) { return make_link_rule<Policy::space>(rule); }
};

template <class Rule, device_policy Policy, vertex_id Vertex>
struct link_relations<Rule, dist::hetero_graph<Policy, Vertex>> {
  using graph_type = dist::hetero_graph<Policy, Vertex>;
  using options_type = hetero_link_options;
  using rules_type = std::vector<Rule>;

  static link_types types(graph_type const& graph, options_type const& options) {
    return types_of(options, graph.schema());
  }
  static std::size_t num_node_types(graph_type const& graph) noexcept { return graph.schema().node_types().size(); }
  static partition_book const& book(graph_type const& graph, int node_type) noexcept { return graph.book(node_type); }
  static rules_type rules_without_data(graph_type const& graph) {
    return rules_type(graph.schema().edge_types().size());
  }
  static Rule const& rule_of(rules_type const& rules, int edge_type) noexcept {
    return rules[static_cast<std::size_t>(edge_type)];
  }
  static auto neighbor_rules(rules_type const& rules) {
    std::vector<link_rule<Policy::space, Rule>> made;
    for (auto const& rule : rules) {
      made.push_back(make_link_rule<Policy::space>(rule));
    }
    return made;
  }
};

} // namespace glt::detail
