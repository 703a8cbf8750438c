// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: seeds_across_ranks_are_of_type_global_id
// lines of clang: 16
#include <glt/comm/serial.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

using sampler_type = glt::dist::neighbor_sampler<glt::serial_comm, cpu>;

void use(sampler_type& sampler, glt::sampled_subgraph<cpu, glt::global_id>& batch) {
  sampler.sample(std::vector<glt::global_id>{0}, {.seed = 1}, batch);
#ifdef GLT_FAIL
  sampler.sample(std::vector<glt::local_id>{0}, {.seed = 1}, batch);
#endif
}
