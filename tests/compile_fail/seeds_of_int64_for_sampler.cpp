// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: seeds_on_one_process_are_of_type_local_id
// lines of clang: 15
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
