// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no GPU reads|memory of the graph|does not reach
#include "support/distant_policy.hpp"
#include <glt/sample/neighbor_sampler.hpp>

using glt::device::cpu;

void use(glt::csr_graph<cpu> const& graph) {
  glt::neighbor_sampler<cpu> good(graph.view(), {.fanouts = {5}});
#ifdef GLT_FAIL
  glt::neighbor_sampler<glt_test::distant_policy<>> bad(graph.view(), {.fanouts = {5}});
#endif
}
