// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/options.hpp>

#include <utility>

namespace glt::detail {

/// What makers of batches around one subgraph have in common: its rows are collected, and time is told.
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy>
class row_maker {
public:
  /// @comm   collective; that of `row_collectors`
  template <class Graph>
  row_maker(Comm comm, collected_things<StorePolicy, T> const& things, Graph const& graph, bool edge_ids,
            Policy policy)
      : rows_(std::move(comm), things, graph, edge_ids, std::move(policy)) {}

  [[nodiscard]] loader_seconds const& seconds() const noexcept { return seconds_; }
  [[nodiscard]] dist::loader_report report() const {
    return {{}, rows_.counts(), {}, rows_.why_not_in_place()};
  }
  void read_in_place(node_views<feature_view<StorePolicy::space, T>> const& rows) {
    rows_.read_in_place(rows);
  }
  void use(dist::hot_rows<Policy, T> const& hot) { rows_.use(hot); }

protected:
  /// Collects what belongs to the subgraph that `sample()` returns.
  template <class Sample>
  void make_around(Sample sample, sample_key key, batch_rows<Policy, T>& out) {
    stopwatch watch;
    auto const& subgraph = sample();
    watch.lap(seconds_.sampling);
    rows_.collect(subgraph, subgraph.num_sampled_nodes()[0], key.step, out);
    watch.lap(seconds_.features);
    seconds_.collecting = rows_.seconds();
  }

private:
  row_collectors<Comm, Policy, T, StorePolicy> rows_;
  loader_seconds seconds_;
};

} // namespace glt::detail
