// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: seeds_of_this_loader_are_vertices_of_all_ranks_so_give_a_vector_of_global_id
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph) {
  glt::dist::neighbor_batches const recipe(graph, {.fanouts = {5}});
#ifdef GLT_FAIL
  glt::dist::loader bad(comm, recipe, std::vector<int>{1, 2, 3});
#else
  glt::dist::loader good(comm, recipe, std::vector<glt::global_id>{1, 2, 3});
#endif
}
