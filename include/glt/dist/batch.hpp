// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/loading/detail/batch_rows.hpp>
#include <glt/dist/sampling/detail/read_counts.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::dist {

/// Place of a batch in an epoch, and its seeds.
///
/// @shape  positions [num_seeds]
struct batch_place {
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  std::int64_t num_seeds = 0; ///< 0 where this rank has run out of seeds
  /// Positions of the seeds in the list that the loader was given. Disjoint tree t belongs to seed positions[t].
  std::vector<std::int64_t> positions;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.epoch, self.step, self.num_seeds, self.positions);
  }
};

/// Batch of one training step: this rank's seeds, their sampled neighbourhood, and the requested rows of its vertices
/// and edges.
///
/// @shape  subgraph of N vertices and E edges · features() [N, F] · labels() [distinct seeds], or empty without labels
///         · tensors of N rows, or of one per distinct seed · edge_tensors of E rows
template <device_policy Policy, vertex_id Vertex, bytes_copyable T>
struct batch : batch_place, detail::batch_rows<Policy, T> {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = batch<Other, Vertex, T>;

  sampled_subgraph<Policy, Vertex> subgraph;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(batch_place::members(self), std::tie(self.subgraph), batch::row_members(self));
  }
};

} // namespace glt::dist

namespace glt::detail {

/// Seconds of all threads that prepare batches, and of the thread that waits for them.
struct loader_seconds {
  double waiting = 0; ///< of the consumer, for the next batch; without `prefetch`, it prepares the batch itself
  double sampling = 0;
  double features = 0;
  collector_seconds collecting{}; ///< breakdown of `features`

  loader_seconds& operator+=(loader_seconds const& other) noexcept {
    waiting += other.waiting;
    sampling += other.sampling;
    features += other.features;
    collecting += other.collecting;
    return *this;
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Counts of a loader's reads so far, by source.
struct loader_report {
  using read_counts = detail::read_counts; ///< of vertices by source: own, in_place, remote

  read_counts sampled;           ///< vertices whose neighbours were drawn
  detail::collected_counts rows; ///< rows of features, with their hit ratio
  std::string why_sampled;       ///< why some remote vertices were not sampled in place; empty without a reason
  std::string why_rows;          ///< why some remote rows were not read in place; empty without a reason

  /// Adds the counts of another thread of the same loader; its reasons are the same.
  loader_report& operator+=(loader_report const& other) {
    sampled += other.sampled;
    rows += other.rows;
    why_sampled = why_sampled.empty() ? other.why_sampled : why_sampled;
    why_rows = why_rows.empty() ? other.why_rows : why_rows;
    return *this;
  }
};

/// Returns the report as text of two lines; with the reasons if some rows came by messages.
[[nodiscard]] inline std::string to_string(loader_report const& report) {
  auto const reason = [](std::string const& why, std::int64_t by_messages) {
    return why.empty() || by_messages == 0 ? std::string() : " (" + why + ")";
  };
  auto const& [sampled, rows, why_sampled, why_rows] = report;
  return glt::detail::message("sampled: ", sampled.own, " own, ", sampled.in_place, " in place, ", sampled.remote,
                              " by messages", reason(why_sampled, sampled.remote), "\nfeatures: ", rows.own, " own, ",
                              rows.in_place, " in place, ", rows.cached, " cached (hit ratio ",
                              std::round(rows.hit_ratio() * 1000) / 1000, "), ", rows.remote, " by messages",
                              reason(why_rows, rows.remote));
}

} // namespace glt::dist
