// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: numbers_in_braces_are_no_elements|conversion function from .* invokes a deleted|call to deleted constructor
#include <glt/glt.hpp>

#include <vector>

void use(glt::neighbor_sampler<glt::device::cpu>& sampler, glt::sampled_subgraph<glt::device::cpu>& batch) {
  std::vector<glt::local_id> const seeds{0, 5};
  sampler.sample(seeds, {.seed = 1}, batch);
#ifdef GLT_FAIL
  sampler.sample({0, 5}, {.seed = 1}, batch);
#endif
}
