// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: takes a dist::graph
#include <glt/comm/serial.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph) {
  glt::dist::neighbor_sampler<glt::serial_comm, cpu> good(comm, graph, {.fanouts = {5}});
#ifdef GLT_FAIL
  glt::dist::neighbor_sampler<glt::serial_comm, cpu> bad(comm, graph.local(), {.fanouts = {5}});
#endif
}
