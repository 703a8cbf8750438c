// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/shared/detail/rule_data.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::dist {

/// Copies the data of a rule, such as weights, to node-shared memory, and adds them to the parts of `neighborhood`.
/// Returns the rule with views of the copies, which live as long as `neighborhood`. Then samplers that read these parts
/// in place draw by the rule there.
///
///     auto shared = glt::dist::share(node, part);
///     auto const rule = glt::dist::share_rule(node, shared.neighborhood, glt::weighted_rule<host>{weights.view()});
///
/// @comm   collective; see `node_memory`
/// @throws precondition_error  if there is no such edge type
/// @throws collective_error  on every rank, if a rank has neither shared nor private memory for the data
/// @cost   one copy of the data
template <node_memory Node, class PartView, class Rule>
  requires(PartView::space == memory_space::host && detail::shows_data<Rule>)
[[nodiscard]] Rule share_rule(Node& node, node_views<PartView>& neighborhood, Rule rule, int edge_type = 0) {
  detail::share_data(node, neighborhood, rule, static_cast<std::size_t>(edge_type), [](auto&) {});
  return rule;
}

} // namespace glt::dist
