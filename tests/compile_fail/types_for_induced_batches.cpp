// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: batches_with_these_options_are_of_graphs_without_types
#include <glt/dist/loading/induced_batches.hpp>

using glt::device::cpu;

void use(glt::dist::graph<cpu> const& plain, glt::dist::hetero_graph<cpu> const& typed) {
#ifdef GLT_FAIL
  glt::dist::induced_batches bad(typed, {.fanouts = {2}});
#else
  glt::dist::induced_batches good(plain, {.fanouts = {2}});
#endif
}
