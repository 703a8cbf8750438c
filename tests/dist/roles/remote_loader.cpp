// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_loader.hpp>

#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>

#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/remote_kinds.hpp"
#include "support/roles.hpp"

#include <cstdint>
#include <utility>

using glt_test::cpu;

namespace {

template <class Comm>
struct neighbors {
  explicit neighbors(Comm& comm, std::int64_t columns = 3)
      : divided(glt_test::merged_graph(comm.size())), graph(comm, divided.part(comm.rank())),
        features(comm, graph.book(), divided.features(comm.rank(), columns)) {}
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

TEST_CASE("features without columns that servers send have a row for every vertex of a batch") {
  auto const serve = []<class Comm>(glt::dist::server<Comm>&& server) {
    neighbors<Comm> const here(server.roles().group(), 0);
    server.offer("batches", here.recipe());
    server.run();
  };
  auto const train = []<class Comm>(glt::dist::client<Comm>&& client) {
    glt::dist::remote_loader<Comm, decltype(std::declval<neighbors<Comm>>().recipe())> loader(
        client, "batches", glt_test::client_seeds(0, 257), {.fanouts = {3, 2}}, {.batch_size = 8});
    std::int64_t batches = 0;
    for (auto const& batch : loader.epoch(0)) {
      CHECK(batch.features().rows() == batch.subgraph.nodes().size());
      CHECK(batch.features().columns() == 0);
      CHECK(batch.labels().size() == batch.subgraph.num_sampled_nodes()[0]);
      ++batches;
    }
    CHECK(batches == 3);
  };
  glt_test::on_ranks(
      [&](auto comm) {
        for (bool const is_shared : {false, true}) { // as messages, and in memory of the servers
          auto roles = glt_test::joined(comm, comm.size() - 1);
          auto const node = glt_test::node_of(comm);
          if (glt_test::is_server(roles)) {
            is_shared ? serve(glt::dist::server(roles, node, 1 << 16)) : serve(glt::dist::server(roles));
          } else {
            is_shared ? train(glt::dist::client(roles, node)) : train(glt::dist::client(roles));
          }
        }
      },
      {2, 3});
}
