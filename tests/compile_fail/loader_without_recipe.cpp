// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_loader_takes_a_recipe_as_second_argument
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph, std::vector<glt::global_id> const& seeds) {
#ifdef GLT_FAIL
  glt::dist::loader bad(comm, graph, seeds);
#else
  glt::dist::loader good(comm, glt::dist::neighbor_batches(graph, {.fanouts = {5}}), seeds);
#endif
}
