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
  /// Makes batches: calls `sample()` to sample their subgraphs, then collects the rows of each `subgraph_of(batch)`.
  template <class Batches, class Sample, class SubgraphOf>
  void make_around(Batches batches, Sample sample, SubgraphOf subgraph_of) {
    stopwatch watch;
    sample();
    watch.lap(seconds_.sampling);
    rows_.collect(batches, subgraph_of);
    watch.lap(seconds_.features);
  }

  /// Reports times, and the counts of a sampler and of the collectors.
  template <class Sampler>
  [[nodiscard]] dist::loader_report report_of(Sampler const& sampler) const {
    auto seconds = seconds_;
    seconds.collecting = rows_.seconds();
    return {.seconds = seconds,
            .sampled = sampler.counts(),
            .rows = rows_.counts(),
            .why_sampled = sampler.why_not_in_place(),
            .why_rows = rows_.why_not_in_place()};
  }

private:
  Rows rows_;
  loader_seconds seconds_;
};

} // namespace glt::detail
