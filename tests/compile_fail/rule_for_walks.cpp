// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: walks draw steps by their options
#include <glt/dist/loading/walk_batches.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

using glt::device::cpu;

void use(glt::dist::graph<cpu> const& graph, glt::weighted_rule<cpu::space> const& rule) {
  glt::walk_options const options{.length = 5};
#ifdef GLT_FAIL
  glt::dist::batch_recipe const bad(graph, options, rule);
#else
  glt::dist::batch_recipe const good(graph, options);
#endif
}
