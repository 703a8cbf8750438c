// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: these are options of another sampler: neighbor_sampler takes glt::neighbor_options
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/walk/walk_options.hpp>

using glt::device::cpu;

void use(glt::csr_graph<cpu> const& graph) {
  glt::neighbor_sampler<cpu> good(graph.view(), {.fanouts = {5}});
#ifdef GLT_FAIL
  glt::neighbor_sampler<cpu> bad(graph.view(), glt::walk_options{.length = 5});
#endif
}
