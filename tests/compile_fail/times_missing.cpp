// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_rule_needs_a_query_for_every_seed
// lines of clang: 18
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include <cstdint>
#include <vector>

using glt::device::cpu;

void use(glt::neighbor_sampler<cpu, glt::local_id, glt::temporal_rule<glt::memory_space::host>>& sampler,
         std::vector<glt::local_id> const& seeds, std::vector<std::int64_t> const& times,
         glt::sampled_subgraph<cpu>& batch) {
  sampler.sample(seeds, times, {.seed = 1}, batch);
#ifdef GLT_FAIL
  sampler.sample(seeds, {.seed = 1}, batch);
#endif
}
