// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a loader takes a recipe as second argument
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph, std::vector<glt::global_id> const& seeds) {
  glt::dist::loader good(comm, glt::dist::neighbor_batches(graph, {.fanouts = {5}}), seeds);
#ifdef GLT_FAIL
  glt::dist::loader bad(comm, graph, seeds);
#endif
}
