// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: takes a view of the graph.*graph.view\(\)
#include <glt/sample/neighbor_sampler.hpp>

using glt::device::cpu;

void use(glt::csr_graph<cpu> const& graph) {
  glt::neighbor_sampler<cpu> good(graph.view(), {.fanouts = {5}});
#ifdef GLT_FAIL
  glt::neighbor_sampler<cpu> bad(graph, {.fanouts = {5}});
#endif
}
