// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: takes a view of the edges.*edges.view\(\)
#include <glt/graph/convert.hpp>

using glt::device::cpu;

void use(glt::coo_graph<cpu> const& edges) {
  auto const good = glt::make_csr<cpu>(edges.view());
#ifdef GLT_FAIL
  auto const bad = glt::make_csr<cpu>(edges);
#endif
}
