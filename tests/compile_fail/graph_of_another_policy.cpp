// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_graph_has_another_memory_or_vertex_type_so_use_copy
#include "support/distant_policy.hpp"
#include <glt/sample/neighbor_sampler.hpp>

using glt::device::cpu;

void use(glt::csr_graph<cpu> const& graph) {
#ifdef GLT_FAIL
  glt::neighbor_sampler<glt_test::distant_policy<>> bad(graph.view(), {.fanouts = {5}});
#else
  glt::neighbor_sampler<cpu> good(graph.view(), {.fanouts = {5}});
#endif
}
