// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/counting.hpp>
#include <glt/core/detail/members.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

#include <fstream>

namespace glt::detail {

/// Rows of the vertices and edges of a batch, as far as the recipe asks for them.
///
/// @shape  features() [N, F] · labels() [distinct seeds], or empty without labels · tensors of N rows, or of one per
///         distinct seed · edge_tensors of E rows
template <device_policy Policy, bytes_copyable T>
struct batch_rows {
  dist::collected_rows<Policy, T> rows;
  std::int64_t num_columns = 0;
  collected_table<Policy> tensors;      ///< by name: `batch.tensors["year"]`
  collected_table<Policy> edge_tensors; ///< in the order of the edge ids: `batch.edge_tensors["time"]`

  /// Features of the nodes of the subgraph, in that order.
  [[nodiscard]] matrix_view<Policy::space, T const> features() const noexcept {
    return {rows.features.data(), num_columns == 0 ? rows.num_rows : rows.features.size() / num_columns, num_columns};
  }
  /// Labels of the first nodes of the subgraph, the distinct seeds.
  [[nodiscard]] array_view<Policy::space, label_type const> labels() const noexcept { return rows.labels.view(); }

protected:
  template <class Self>
  [[nodiscard]] static auto row_members(Self& self) noexcept {
    return std::tie(self.rows, self.num_columns, self.tensors, self.edge_tensors);
  }
};

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

} // namespace glt::detail

namespace glt::dist {

/// Batch of one training step: this rank's seeds, their sampled neighbourhood, and the requested rows of its vertices
/// and edges. `epoch` and `step` are its place. `num_seeds` is 0 where this rank has run out of seeds. `positions` are the
/// places of the seeds in the loader's list.
///
/// @shape  subgraph of N vertices and E edges · features() [N, F] · labels() [distinct seeds], or empty without labels
///         · tensors of N rows, or of one per distinct seed · edge_tensors of E rows
template <device_policy Policy, vertex_id Vertex, bytes_copyable T>
struct batch : detail::batch_place, detail::batch_rows<Policy, T> {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = batch<Other, Vertex, T>;

  sampled_subgraph<Policy, Vertex> subgraph;

  /// Returns the block of a layer; see `sampled_subgraph::block`.
  [[nodiscard]] block_view<Policy::space> block(int layer) const { return subgraph.block(layer); }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(detail::batch_place::members(self), std::tie(self.subgraph), batch::row_members(self));
  }
};

} // namespace glt::dist

namespace glt::detail {

/// Returns the most memory that this process has had, in bytes; 0 where the system does not tell.
[[nodiscard]] inline std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stoll(line.substr(6)) * 1024;
    }
  }
  return 0;
}

/// Seconds of all threads that prepare batches, and of the thread that waits for them.
struct loader_seconds {
  double waiting = 0; ///< of the consumer, for the next batch; without `prefetch`, it prepares the batch itself
  double sampling = 0;
  double features = 0;
  collector_seconds collecting{}; ///< breakdown of `features`

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.waiting, self.sampling, self.features, self.collecting);
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Account of the work of a loader so far, or since an earlier report.
///
///     auto const before = loader.report();
///     …
///     auto const of_epoch = loader.report() - before;
struct loader_report {
  using read_counts = detail::read_counts;           ///< of vertices by source: own, in_place, remote
  using collected_counts = detail::collected_counts; ///< of rows by source
  using loader_seconds = detail::loader_seconds;     ///< waiting, sampling, features

  loader_seconds seconds{};
  std::int64_t batches = 0;     ///< that were made
  read_counts sampled{};        ///< vertices whose neighbours were drawn
  collected_counts rows{};      ///< rows of features, with their hit ratio
  traffic sent{};               ///< for these batches over a `counting_comm`, by kind; else zeros
  std::int64_t peak_memory = 0; ///< of the process since its start, in bytes
  std::string why_sampled{};    ///< why some remote vertices were not sampled in place; empty without a reason
  std::string why_rows{};       ///< why some remote rows were not read in place; empty without a reason

  /// Adds the report of another thread or loader; its reasons are the same.
  loader_report& operator+=(loader_report const& other) {
    why_sampled = why_sampled.empty() ? other.why_sampled : why_sampled;
    why_rows = why_rows.empty() ? other.why_rows : why_rows;
    auto const peak = std::max(peak_memory, other.peak_memory);
    detail::combine(*this, other, std::plus<>()).peak_memory = peak;
    return *this;
  }
  /// Subtracts an earlier report of the same loader.
  [[nodiscard]] friend loader_report operator-(loader_report now, loader_report const& before) {
    auto const peak = now.peak_memory;
    detail::combine(now, before, std::minus<>()).peak_memory = peak;
    return now;
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.seconds, self.batches, self.sampled, self.rows, self.sent, self.peak_memory, self.why_sampled,
                    self.why_rows);
  }
};

/// Returns the report as text of three lines, with the reasons if some rows came by messages. Over a `counting_comm` a
/// fourth line has the number of messages and bytes.
[[nodiscard]] inline std::string to_string(loader_report const& report) {
  auto const reason = [](std::string const& why, std::int64_t by_messages) {
    return why.empty() || by_messages == 0 ? std::string() : " (" + why + ")";
  };
  auto const rounded = [](double value) { return std::round(value * 1000) / 1000; };
  auto const& [seconds, batches, sampled, rows, sent, peak, why_sampled, why_rows] = report;
  auto const all = sent.total();
  return glt::detail::message(
      "batches: ", batches, ", waited ", rounded(seconds.waiting), " s, sampling ", rounded(seconds.sampling),
      " s, features ", rounded(seconds.features), " s\nsampled: ", sampled.own, " own, ", sampled.in_place,
      " in place, ", sampled.remote, " by messages", reason(why_sampled, sampled.remote), "\nfeatures: ", rows.own,
      " own, ", rows.in_place, " in place, ", rows.cached, " cached (hit ratio ", rounded(rows.hit_ratio()), "), ",
      rows.remote, " by messages", reason(why_rows, rows.remote),
      rows.repeated == 0 ? std::string()
                         : glt::detail::message(", ", rows.repeated, " from another batch of the same bulk"),
      rows.disk == 0
          ? std::string()
          : glt::detail::message("; ", rows.disk, " read from disk (hit ratio ", rounded(rows.disk_hit_ratio()), ")"),
      all.collectives + all.messages == 0
          ? std::string()
          : glt::detail::message("\nsent: ", all.messages, " messages of ", all.bytes, " bytes"));
}

} // namespace glt::dist
