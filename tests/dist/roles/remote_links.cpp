// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_loader.hpp>

#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/induced_batches.hpp>
#include <glt/dist/loading/link_batches.hpp>

#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/remote_kinds.hpp"

#include <cstdint>
#include <vector>

using glt_test::cpu;

namespace {

template <class Comm>
struct here {
  explicit here(Comm& comm)
      : divided(glt_test::merged_graph(comm.size())), graph(comm, divided.part(comm.rank())),
        features(comm, graph.book(), divided.features(comm.rank(), 3)) {
    for (auto const original : graph.original()) {
      weights.push_back(static_cast<double>(original % 3 + 1));
    }
  }

  glt_test::divided_graph divided;
  glt::dist::graph<cpu> graph;
  glt::dist::feature_store<cpu, float> features;
  std::vector<double> weights;
};

template <class Comm>
struct links : here<Comm> {
  using here<Comm>::here;
  auto recipe() const {
    glt::dist::link_batches made(this->graph, this->features, {});
    return made.with_weights(this->weights);
  }
  glt::link_options options() const {
    return {.neighbors = {.fanouts = {3, 2}, .edge_ids = true},
            .negatives = {.amount = 1.5, .attempts = 3},
            .exclude = glt::seed_exclusion::edges_and_reverses};
  }
  glt::dist::edge_seeds<> seeds(int client) const {
    glt::dist::edge_seeds<> made;
    for (auto const vertex : glt_test::client_seeds(client, 257)) {
      made.sources.push_back(vertex);
      made.destinations.push_back((vertex * 3 + 1) % 257);
      made.labels.push_back(vertex % 4);
    }
    return made;
  }
};

template <class Comm>
struct induced : here<Comm> {
  using here<Comm>::here;
  auto recipe() const { return glt::dist::induced_batches(this->graph, this->features); }
  glt::induced_options options() const { return {.num_hops = 1, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const { return glt_test::client_seeds(client, 257); }
};

} // namespace

TEST_CASE("servers make the batches of links and negatives that a loader makes") { // on_ranks
  glt_test::check_remote_kind<links>();
}

TEST_CASE("servers make the batches of induced subgraphs that a loader makes") {
  glt_test::check_remote_kind<induced>();
}
