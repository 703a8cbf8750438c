// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/pushed_edges.hpp>

#include "support/boundary_sizes.hpp"
#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using glt::detail::push_choice;
using glt_test::boundary_sizes;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

// Place of destination, own source and id of every edge of a shard, sorted.
using edge = std::tuple<std::int64_t, std::int64_t, glt::edge_id>;

template <class Policy>
std::vector<edge> edges_of(Policy const& policy, glt::detail::shard_view<Policy::space> shard, bool by_source,
                           std::vector<glt::local_id> const& sent, std::vector<glt::edge_id> const& ids) {
  std::vector<edge> made;
  auto const rows = glt::to_vector(policy, shard.rows);
  if (rows.empty()) {
    return made;
  }
  auto const offsets = glt::to_vector(policy, shard.offsets);
  auto const columns = glt::to_vector(policy, shard.columns);
  auto const edges = glt::to_vector(policy, shard.edges);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (auto e = static_cast<std::size_t>(offsets[r]); e < static_cast<std::size_t>(offsets[r + 1]); ++e) {
      auto const destination = by_source ? columns[e] : rows[r];
      auto const source = by_source ? rows[r] : columns[e];
      made.emplace_back(destination, sent[static_cast<std::size_t>(source)], ids[static_cast<std::size_t>(edges[e])]);
    }
  }
  std::ranges::sort(made);
  return made;
}

// The same of the edge list: destinations of `peer` with sources of `rank`, numbered in their order.
std::vector<edge> expected_edges(glt_test::edge_list const& list, divided_graph const& divided, int peer, int rank) {
  auto const& book = divided.names.book;
  std::vector<edge> found;
  std::vector<std::int64_t> destinations;
  for (std::size_t e = 0; e < list.sources.size(); ++e) {
    auto const to = divided.names.renumbered[list.destinations[e]];
    auto const from = divided.names.renumbered[list.sources[e]];
    if (book.begin(peer) <= to && to < book.end(peer) && book.begin(rank) <= from && from < book.end(rank)) {
      found.emplace_back(to, from - book.begin(rank), static_cast<glt::edge_id>(e));
      destinations.push_back(to);
    }
  }
  std::ranges::sort(destinations);
  destinations.erase(std::ranges::unique(destinations).begin(), destinations.end());
  for (auto& [to, from, id] : found) {
    to = std::ranges::lower_bound(destinations, to) - destinations.begin();
  }
  std::ranges::sort(found);
  return found;
}

} // namespace

TEST_CASE_TEMPLATE("edges are told to the owners of their sources where that can save bytes, or everywhere", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  on_ranks([]<class Comm>(Comm comm) {
    Policy const policy;
    for (auto const& list : glt_test::graphs_to_divide()) {
      divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
      glt::dist::sharded_graph<Comm, Policy> sharded(comm, graph, {}, policy);
      for (auto const choice : {push_choice::useful, push_choice::all}) {
        glt::dist::pushed_edges<Policy> const pushed(sharded, graph.local().edge_ids(), choice);
        auto const ids = glt::to_vector(policy, pushed.ids());
        for (int k = 1; k < comm.size(); ++k) {
          INFO(list.name, ", rank ", comm.rank(), " of ", comm.size(), ", step ", k);
          auto const next = (comm.rank() + k) % comm.size();
          auto const previous = (comm.rank() + comm.size() - k) % comm.size();
          auto const is_told = [&](boundary_sizes const& sizes) {
            return choice == push_choice::all || sizes.destinations < 2 * sizes.sources;
          };
          boundary_sizes const own(list, divided, comm.rank(), next);
          boundary_sizes const served(list, divided, previous, comm.rank());
          CHECK(pushed.num_offered(k) == (is_told(own) ? own.destinations : 0));
          CHECK(pushed.num_served(k) == (is_told(served) ? served.destinations : 0));
          auto const expected =
              is_told(served) ? expected_edges(list, divided, previous, comm.rank()) : std::vector<edge>();
          auto const sent = glt::to_vector(policy, sharded.sent_rows(k));
          CHECK(edges_of(policy, pushed.shard(k), false, sent, ids) == expected);
          CHECK(edges_of(policy, pushed.transposed(k), true, sent, ids) == expected);
        }
      }
    }
  });
}

TEST_CASE("ranks that push other edges than rank 0, or ids of other edges, fail all ranks with the same error") {
  on_ranks([]<class Comm>(Comm comm) {
    divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<Comm, glt::device::cpu> sharded(comm, graph);
    auto const last = comm.size() - 1;
    bool const is_last = comm.rank() == last;
    auto const ids = graph.local().edge_ids();
    auto const push = [&](auto some_ids, push_choice choice) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::pushed_edges<glt::device::cpu>(sharded, some_ids, choice); });
    };
    auto const rank = "rank " + std::to_string(last);
    CHECK(glt_test::names(push(is_last ? ids.subview(0, 1) : ids, push_choice::all), rank, "1 ids of"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(push(ids, is_last ? push_choice::all : push_choice::useful), rank, "chooses the edges"));
      CHECK(glt_test::names(push(is_last ? ids.subview(0, 0) : ids, push_choice::all), rank, "passes ids of edges"));
    }
  });
}
