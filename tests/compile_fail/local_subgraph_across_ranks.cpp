// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_result_is_of_another_policy_or_vertex_type
// lines of clang: 16
#include <glt/comm/serial.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

using sampler_type = glt::dist::neighbor_sampler<glt::serial_comm, cpu>;

void use(sampler_type& sampler, std::vector<glt::global_id> const& seeds,
         glt::sampled_subgraph<cpu, glt::global_id>& good, glt::sampled_subgraph<cpu>& bad) {
  sampler.sample(seeds, {.seed = 1}, good);
  static_cast<void>(bad);
#ifdef GLT_FAIL
  sampler.sample(seeds, {.seed = 1}, bad);
#endif
}
