// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>
#include <glt/sample/link/link_options.hpp>

namespace glt::detail {

/// Options and rules of link samplers of graphs without types: one rule, and one vertex type and edge type.
template <memory_space Space, class Rule>
struct plain_link_rules {
  using options_type = link_options;
  using rules_type = Rule;

  template <class Graph>
  static link_types types(Graph const&, options_type const& options) {
    return types_of(options);
  }
  template <class Graph>
  static std::size_t num_node_types(Graph const&) noexcept {
    return 1;
  }
  template <class Graph>
  static rules_type rules_without_data(Graph const&) {
    return {};
  }
  static Rule const& rule_of(rules_type const& rule, int) noexcept { return rule; }
  static link_rule<Space, Rule> neighbor_rules(rules_type const& rule) { return make_link_rule<Space>(rule); }
};

/// Options and rules of link samplers of heterogeneous graphs: a rule per edge type.
template <memory_space Space, class Rule>
struct hetero_link_rules {
  using options_type = hetero_link_options;
  using rules_type = std::vector<Rule>;

  template <class Graph>
  static link_types types(Graph const& graph, options_type const& options) {
    return types_of(options, graph.schema());
  }
  template <class Graph>
  static std::size_t num_node_types(Graph const& graph) noexcept {
    return graph.schema().node_types().size();
  }
  template <class Graph>
  static rules_type rules_without_data(Graph const& graph) {
    return rules_type(graph.schema().edge_types().size());
  }
  static Rule const& rule_of(rules_type const& rules, int edge_type) noexcept {
    return rules[static_cast<std::size_t>(edge_type)];
  }
  static std::vector<link_rule<Space, Rule>> neighbor_rules(rules_type const& rules) {
    std::vector<link_rule<Space, Rule>> made;
    for (auto const& rule : rules) {
      made.push_back(make_link_rule<Space>(rule));
    }
    return made;
  }
};

} // namespace glt::detail
