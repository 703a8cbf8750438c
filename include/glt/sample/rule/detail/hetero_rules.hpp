// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Throws for options that the rules of the edge types cannot follow and for rows that are too long; called once before
/// all draws.
///
/// `relation_of(e)` is the graph that rule e draws from.
///
/// @shape  rules [edge types]
/// @throws precondition_error  if there is not one rule per edge type, rules with queries are used without `disjoint`,
///                             or, naming the edge type, as `check_row_lengths` and as `check` of a rule
template <class Rule, class RelationOf>
void check_rules(hetero_schema const& schema, hetero_options const& options, std::vector<Rule> const& rules,
                 RelationOf relation_of) {
  if (std::ssize(rules) != schema.num_edge_types()) {
    throw precondition_error(
        message(rules.size(), " draw rules for ", schema.num_edge_types(), " edge types; give one per type"));
  }
  if (has_query<Rule> && !options.disjoint) {
    throw precondition_error("seeds with queries of their own, such as times, in trees that share vertices; set "
                             "disjoint = true");
  }
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    try {
      check_row_lengths(relation_of(e));
      auto const& rule = rules[static_cast<std::size_t>(e)];
      if constexpr (requires { rule.check(relation_of(e), hop_options{}); }) {
        for (std::size_t hop = 0; hop < num_hops(options); ++hop) {
          if (hop_of(options, hop, e).fanout != 0) {
            rule.check(relation_of(e), hop_of(options, hop, e));
          }
        }
      }
    } catch (precondition_error const& fault) {
      throw precondition_error(message("relation ", schema.name_of_edge_type(e), ": ", fault.what()));
    }
  }
}

} // namespace glt::detail
