// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_sampler_across_ranks_takes_a_dist_graph
#include <glt/comm/serial.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph) {
#ifdef GLT_FAIL
  glt::dist::neighbor_sampler<glt::serial_comm, cpu> bad(comm, graph.local(), {.fanouts = {5}});
#else
  glt::dist::neighbor_sampler<glt::serial_comm, cpu> good(comm, graph, {.fanouts = {5}});
#endif
}
