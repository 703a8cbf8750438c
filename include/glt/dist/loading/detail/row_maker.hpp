// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>

namespace glt::detail {

/// Common part of makers of batches around subgraphs: collects rows by the collectors `Rows`, and measures times.
template <class Rows>
class row_maker {
public:
  /// @comm   collective; as `Rows`
  template <class... Arguments>
  explicit row_maker(Arguments&&... arguments) : rows_(std::forward<Arguments>(arguments)...) {}

  [[nodiscard]] loader_seconds const& seconds() const noexcept { return seconds_; }
  /// Reads rows in place, of a type if there are types.
  template <class... Views>
  void read_in_place(Views const&... views)
    requires requires(Rows& rows) { rows.read_in_place(views...); }
  {
    rows_.read_in_place(views...);
  }
  /// Uses hot rows of other ranks, or tiers of local rows.
  template <class... Hot>
  void use(Hot const&... hot)
    requires requires(Rows& rows) { rows.use(hot...); }
  {
    rows_.use(hot...);
  }

protected:
  /// Makes batches: calls `sample()` to sample their subgraphs, then `collect(rows)` to collect their rows.
  template <class Sample, class Collect>
  void make_around(Sample sample, Collect collect) {
    stopwatch watch;
    sample();
    watch.lap(seconds_.sampling);
    collect(rows_);
    watch.lap(seconds_.features);
    seconds_.collecting = rows_.seconds();
  }

  /// Reports the counts of a sampler and of the collectors.
  template <class Sampler>
  [[nodiscard]] dist::loader_report report_of(Sampler const& sampler) const {
    return {sampler.counts(), rows_.counts(), sampler.why_not_in_place(), rows_.why_not_in_place()};
  }

private:
  Rows rows_;
  loader_seconds seconds_;
};

/// Collects the rows of each `subgraph_of(batch)`, one sweep of messages for all batches.
template <class Rows, class Seeds, class Batch, class SubgraphOf>
void collect_around(Rows& rows, std::span<batch_request<Seeds, Batch> const> batches, SubgraphOf subgraph_of) {
  std::vector<typename Rows::template request<decltype(subgraph_of(std::declval<Batch const&>()))>> wanted;
  for (auto const& [seeds, key, out] : batches) {
    auto const& subgraph = subgraph_of(std::as_const(*out));
    wanted.push_back({&subgraph, subgraph.num_sampled_nodes()[0], out});
  }
  rows.collect(std::span(std::as_const(wanted)), batches[0].key.step);
}

} // namespace glt::detail
