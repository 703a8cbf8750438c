// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: seeds or starts are not vertices of the graph.*glt::local_id
#include <glt/sample/neighbor_sampler.hpp>

#include <cstdint>
#include <vector>

using glt::device::cpu;

void use(glt::neighbor_sampler<cpu>& sampler, glt::sampled_subgraph<cpu>& batch) {
  sampler.sample(std::vector<glt::local_id>{0}, {.seed = 1}, batch);
#ifdef GLT_FAIL
  sampler.sample(std::vector<std::int64_t>{0}, {.seed = 1}, batch);
#endif
}
