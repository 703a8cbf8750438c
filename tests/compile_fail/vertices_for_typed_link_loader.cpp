// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: seeds_of_this_loader_are_edges_so_give_edge_seeds
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/typed_batches.hpp>

#include <vector>

using glt::device::cpu;
using graph_type = glt::dist::hetero_graph<cpu>;

void use(glt::serial_comm comm, graph_type const& graph, std::vector<glt::global_id> const& ids) {
  glt::dist::typed_batches const recipe(graph, glt::hetero_link_options());
#ifdef GLT_FAIL
  glt::dist::loader bad(comm, recipe, glt::dist::typed_seeds(0, {ids}));
#else
  glt::dist::loader good(comm, recipe, glt::dist::edge_seeds<>{.sources = ids, .destinations = ids});
#endif
}
