// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/cover/boundary_cover.hpp>

#include <glt/comm/communicator.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>

#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace {

// All columns, and rows, are what a block or the own part has.
template <class Shard>
bool is_within(Shard const& shard) {
  return std::ranges::all_of(shard.columns, [&](auto c) { return c >= 0 && c < shard.num_columns; }) &&
         std::ranges::all_of(shard.rows, [&](auto r) { return r >= 0 && r < shard.num_rows; });
}

} // namespace

TEST_CASE("every edge between ranks is either pulled at its destination or pushed at its source, once") {
  glt_test::on_ranks([](auto comm) {
    for (auto const& list : glt_test::graphs_to_divide()) {
      INFO(list.name, ", rank ", comm.rank(), " of ", comm.size());
      glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      glt::dist::graph const graph(comm, divided.part(comm.rank()));
      glt::dist::sharded_graph sharded(comm, graph, {.cover = true});
      std::array<std::int64_t, 2> edges{0, 0}; // between ranks, and of the cover
      for (std::int64_t k = 1; k < comm.size(); ++k) {
        auto const& cover = *sharded.cover();
        auto const in = cover.incoming(k);
        auto const out = cover.outgoing(k);
        edges[0] += sharded.shard(k).num_edges;
        edges[1] += in.pulled.num_edges + out.pushed.num_edges;
        CHECK(in.pulled_by_source.num_edges == in.pulled.num_edges);
        CHECK(out.pushed_by_source.num_edges == out.pushed.num_edges);
        for (auto const& shard : {in.pulled, in.pulled_by_source, out.pushed, out.pushed_by_source}) {
          CHECK(is_within(shard));
        }
        CHECK(in.pulled_by_source.rows.size() == in.pulled.num_columns); // nothing travels in vain
        CHECK(out.pushed.rows.size() == out.pushed.num_rows);
        std::multiset<glt::local_id> positions(in.pushed.begin(), in.pushed.end());
        positions.insert(in.pulled.edges.begin(), in.pulled.edges.end());
        auto const shard = sharded.shard(k);
        auto const first = shard.rows.empty() ? 0 : shard.offsets[0];
        auto const wanted = shard.edges.subview(first, shard.num_edges);
        CHECK(positions == std::multiset<glt::local_id>(wanted.begin(), wanted.end()));
        CHECK(std::ranges::is_sorted(in.pushed));
        auto const all = sharded.sent_rows(k);
        for (auto const row : out.sent) {
          CHECK(std::ranges::count(all, row) == 1);
        }
      }
      comm.all_reduce(std::span<std::int64_t>(edges), glt::reduction::sum);
      CHECK(edges[0] == edges[1]);
    }
  });
}
