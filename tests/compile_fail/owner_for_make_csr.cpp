// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: make_csr_takes_the_view_of_the_edges
#include <glt/graph/convert.hpp>

using glt::device::cpu;

void use(glt::coo_graph<cpu> const& edges) {
#ifdef GLT_FAIL
  auto const bad = glt::make_csr<cpu>(edges);
#else
  auto const good = glt::make_csr<cpu>(edges.view());
#endif
}
