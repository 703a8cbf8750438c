// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: seeds_of_this_loader_are_vertices_of_all_ranks
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/induced_batches.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph, std::vector<glt::global_id> const& ids) {
  glt::dist::induced_batches const recipe(graph, {.num_hops = 1});
#ifdef GLT_FAIL
  glt::dist::loader bad(comm, recipe, glt::dist::edge_seeds<>{.sources = ids, .destinations = ids});
#else
  glt::dist::loader good(comm, recipe, ids);
#endif
}
