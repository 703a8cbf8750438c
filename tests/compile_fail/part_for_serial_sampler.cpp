// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_graph_is_a_part_so_take_the_sampler_of_the_same_name_in_glt_dist
#include <glt/dist/graph.hpp>
#include <glt/sample/neighbor_sampler.hpp>

using glt::device::cpu;

void use(glt::csr_graph<cpu> const& graph, glt::dist::graph<cpu> const& part) {
  glt::neighbor_sampler<cpu> good(graph.view(), {.fanouts = {5}});
  static_cast<void>(part);
#ifdef GLT_FAIL
  glt::neighbor_sampler<cpu> bad(part, {.fanouts = {5}});
#endif
}
