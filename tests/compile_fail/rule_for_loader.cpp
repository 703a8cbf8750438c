// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_rule_goes_to_the_recipe_and_the_third_argument_is_the_seeds
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/sample/rule/labor_rule.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph, std::vector<glt::global_id> const& seeds) {
  glt::labor_rule<cpu::space> const rule{};
#ifdef GLT_FAIL
  glt::dist::loader bad(comm, glt::dist::neighbor_batches(graph, {.fanouts = {5}}), rule, seeds);
#else
  glt::dist::loader good(comm, glt::dist::neighbor_batches(graph, {.fanouts = {5}}, rule), seeds);
#endif
}
