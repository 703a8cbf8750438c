// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_result_is_of_another_policy_or_vertex_type
#include <glt/comm/serial.hpp>
#include <glt/dist/walk/random_walk.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

using walker_type = glt::dist::random_walker<glt::serial_comm, cpu>;

void use(walker_type& walker, std::vector<glt::global_id> const& starts, glt::walks<cpu, glt::global_id>& good,
         glt::walks<cpu>& bad) {
  walker.walk(starts, {.seed = 1}, good);
  static_cast<void>(bad);
#ifdef GLT_FAIL
  walker.walk(starts, {.seed = 1}, bad);
#endif
}
