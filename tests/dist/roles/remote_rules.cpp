// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_loader.hpp>

#include <glt/dist/graph.hpp>
#include <glt/dist/halo_values.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/independent_rule.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/remote_kinds.hpp"
#include "support/weighted.hpp"

#include <cstdint>
#include <utility>
#include <vector>

using glt_test::cpu;

namespace {

constexpr auto host = glt::memory_space::host;

template <class Comm>
struct weighted {
  explicit weighted(Comm& comm)
      : graph(comm, glt_test::merged_graph(comm.size()).part(comm.rank())),
        weights(glt::make_edge_values(graph.local(), glt_test::random_weights(4099, 6))) {}
  auto recipe() const { return glt::dist::neighbor_batches(graph, {}, glt::weighted_rule<host>{weights.view(), {}}); }
  glt::neighbor_options options() const { return {.fanouts = {3, 2}, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const { return glt_test::client_seeds(client, 257); }

  glt::dist::graph<cpu> graph;
  glt::buffer<cpu, float> weights;
};

template <class Comm>
struct temporal {
  explicit temporal(Comm& comm) : temporal(comm, glt_test::merged_timed_part(comm.size(), comm.rank())) {}
  auto recipe() const {
    return glt::dist::neighbor_batches(graph, {}, glt::temporal_rule<host>{times.view(), glt::temporal_strategy::last});
  }
  glt::neighbor_options options() const { return {.fanouts = {4, 3}, .edge_ids = true, .disjoint = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const {
    auto vertices = glt_test::client_seeds(client, 257);
    std::vector<std::int64_t> until;
    for (auto const vertex : vertices) {
      until.push_back(vertex * 23 % 140 - 10);
    }
    return {std::move(vertices), std::move(until)};
  }

  glt::dist::graph<cpu> graph;
  glt::buffer<cpu, std::int64_t> times;

private:
  template <class Sorted>
  temporal(Comm& comm, Sorted sorted) : graph(comm, std::move(sorted.first)), times(std::move(sorted.second)) {}
};

template <class Comm>
struct independent {
  explicit independent(Comm& comm) : graph(comm, glt_test::merged_graph(comm.size()).part(comm.rank())) {}
  auto recipe() const { return glt::dist::neighbor_batches(graph, {}, glt::independent_rule<>()); }
  glt::neighbor_options options() const { return {.fanouts = {3, 2}, .edge_ids = true, .disjoint = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const { // some of them several times in a batch
    auto made = glt_test::client_seeds(client, 257);
    for (auto& seed : made) {
      seed %= 5;
    }
    return made;
  }

  glt::dist::graph<cpu> graph;
};

template <class Comm>
struct labor {
  explicit labor(Comm& comm)
      : graph(comm, glt_test::merged_graph(comm.size()).part(comm.rank())),
        originals(glt::dist::make_source_values(comm, graph)) {}
  auto recipe() const {
    return glt::dist::neighbor_batches(graph, {}, glt::labor_rule<host>{.sources = originals.view()});
  }
  glt::neighbor_options options() const { return {.fanouts = {3, 2}, .edge_ids = true}; }
  glt::dist::vertex_seeds<> seeds(int client) const { return glt_test::client_seeds(client, 257); }

  glt::dist::graph<cpu> graph;
  glt::buffer<cpu, glt::global_id> originals;
};

} // namespace

TEST_CASE("servers make the batches by weights that a loader makes") { // on_ranks
  glt_test::check_remote_kind<weighted>();
}

TEST_CASE("servers make the batches by LABOR that a loader makes") {
  glt_test::check_remote_kind<labor>();
}

TEST_CASE("servers make the batches of independent trees that a loader makes") {
  glt_test::check_remote_kind<independent>();
}

TEST_CASE("servers make the batches by times that a loader makes") {
  glt_test::check_remote_kind<temporal>();
}
