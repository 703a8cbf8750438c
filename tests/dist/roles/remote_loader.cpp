// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_loader.hpp>

#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>

#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/remote_kinds.hpp"

using glt_test::cpu;

namespace {

template <class Comm>
struct neighbors {
  explicit neighbors(Comm& comm)
      : divided(glt_test::merged_graph(comm.size())), graph(comm, divided.part(comm.rank())),
        features(comm, graph.book(), divided.features(comm.rank(), 3)) {}
  auto recipe() const { return glt::dist::neighbor_batches(graph, features, {}); }
  glt::neighbor_options options() const { return {.fanouts = {3, 2}, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const { return glt_test::client_seeds(client, 257); }

  glt_test::divided_graph divided;
  glt::dist::graph<cpu> graph;
  glt::dist::feature_store<cpu, float> features;
};

} // namespace

TEST_CASE("servers make the batches of vertices and their neighbourhoods that a loader makes") { // on_ranks
  glt_test::check_remote_kind<neighbors>();
}
