// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_sampler_takes_the_view_of_a_graph
#include <glt/sample/neighbor_sampler.hpp>

using glt::device::cpu;

void use(glt::csr_graph<cpu> const& graph) {
#ifdef GLT_FAIL
  glt::neighbor_sampler<cpu> bad(graph, {.fanouts = {5}});
#else
  glt::neighbor_sampler<cpu> good(graph.view(), {.fanouts = {5}});
#endif
}
