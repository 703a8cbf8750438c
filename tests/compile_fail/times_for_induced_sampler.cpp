// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: take a rule without queries
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

using glt::device::cpu;
constexpr auto host = glt::memory_space::host;

void use(glt::csr_view<host> graph, glt::temporal_rule<host> rule) {
  glt::induced_sampler<cpu> good(graph, {.fanouts = {10, 5}});
#ifdef GLT_FAIL
  glt::induced_sampler<cpu, glt::local_id, glt::temporal_rule<host>> bad(graph, {.fanouts = {10, 5}}, rule);
#else
  static_cast<void>(rule);
#endif
}
