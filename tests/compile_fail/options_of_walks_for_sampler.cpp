// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: these_are_options_of_another_sampler
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/walk/walk_options.hpp>

using glt::device::cpu;

void use(glt::csr_graph<cpu> const& graph) {
#ifdef GLT_FAIL
  glt::neighbor_sampler<cpu> bad(graph.view(), glt::walk_options{.length = 5});
#else
  glt::neighbor_sampler<cpu> good(graph.view(), {.fanouts = {5}});
#endif
}
