// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a loader takes the seeds of its recipe as third argument.*a rule goes to the recipe
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/sample/rule/labor_rule.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph, std::vector<glt::global_id> const& seeds) {
  glt::labor_rule<cpu::space> const rule{};
  glt::dist::loader good(comm, glt::dist::neighbor_batches(graph, {.fanouts = {5}}, rule), seeds);
#ifdef GLT_FAIL
  glt::dist::loader bad(comm, glt::dist::neighbor_batches(graph, {.fanouts = {5}}), rule, seeds);
#endif
}
