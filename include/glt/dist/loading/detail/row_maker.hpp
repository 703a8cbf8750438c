// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/options.hpp>

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::detail {

/// Adds the counts of a sampler to a report.
template <class Sampler>
[[nodiscard]] dist::loader_report with_sampled(dist::loader_report report, Sampler const& sampler) {
  report.sampled = sampler.counts();
  report.why_sampled = sampler.why_not_in_place();
  return report;
}

/// Common part of makers of batches around one subgraph: collects rows and measures times.
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy>
class row_maker {
public:
  /// @comm   collective; as `row_collectors`
  template <class Graph>
  row_maker(Comm comm, collected_things<StorePolicy, T> const& things, Graph const& graph, bool edge_ids, Policy policy)
      : rows_(std::move(comm), things, graph, edge_ids, std::move(policy)) {}

  [[nodiscard]] loader_seconds const& seconds() const noexcept { return seconds_; }
  [[nodiscard]] dist::loader_report report() const { return {{}, rows_.counts(), {}, rows_.why_not_in_place()}; }
  template <class Views>
  void read_in_place(Views const& views)
    requires requires(row_collectors<Comm, Policy, T, StorePolicy>& rows) { rows.read_in_place(views); }
  {
    rows_.read_in_place(views);
  }
  /// Uses hot rows of other ranks, or tiers of local rows.
  template <class Rows>
  void use(Rows const& rows)
    requires requires(row_collectors<Comm, Policy, T, StorePolicy>& of) { of.use(rows); }
  {
    rows_.use(rows);
  }

protected:
  /// Makes batches: calls `sample()` to sample their subgraphs, then collects the rows of each `subgraph_of(batch)`.
  template <class Seeds, class Batch, class Sample, class SubgraphOf>
  void make_around(std::span<batch_request<Seeds, Batch> const> batches, Sample sample, SubgraphOf subgraph_of) {
    stopwatch watch;
    sample();
    watch.lap(seconds_.sampling);
    using subgraph_type = std::remove_cvref_t<decltype(subgraph_of(std::declval<Batch const&>()))>;
    std::vector<rows_of_batch<Policy, T, subgraph_type>> wanted;
    for (auto const& [seeds, key, out] : batches) {
      auto const& subgraph = subgraph_of(std::as_const(*out));
      wanted.push_back({&subgraph, subgraph.num_sampled_nodes()[0], out});
    }
    rows_.collect(std::span(std::as_const(wanted)), batches[0].key.step);
    watch.lap(seconds_.features);
    seconds_.collecting = rows_.seconds();
  }

private:
  row_collectors<Comm, Policy, T, StorePolicy> rows_;
  loader_seconds seconds_;
};

} // namespace glt::detail
