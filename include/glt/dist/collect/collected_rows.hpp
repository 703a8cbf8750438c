// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt::dist {

/// Rows that a batch needs; reusable.
///
/// @shape  features [N · F], row-major, in the order of the vertices · labels [M] of the first M vertices · num_rows is
///         N, also of features without columns
template <device_policy Policy, bytes_copyable T>
struct collected_rows {
  buffer<Policy, T> features;
  buffer<Policy, detail::label_type> labels;
  std::int64_t num_rows = 0;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.features, self.labels, self.num_rows);
  }
};

} // namespace glt::dist

namespace glt::detail {

/// Numbers of rows that a `feature_collector` has collected, by source.
struct collected_counts {
  std::int64_t own = 0;      ///< of this rank
  std::int64_t in_place = 0; ///< of other ranks, read where they lie
  std::int64_t cached = 0;   ///< of other ranks, found among the hot rows
  std::int64_t remote = 0;   ///< of other ranks, requested by messages

  /// Returns the hit ratio of the hot rows: cached / (cached + remote), or 0 if nothing was cached.
  [[nodiscard]] double hit_ratio() const noexcept {
    return cached == 0 ? 0 : static_cast<double>(cached) / static_cast<double>(cached + remote);
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.own, self.in_place, self.cached, self.remote);
  }
  collected_counts& operator+=(collected_counts const& other) noexcept { return combine(*this, other, std::plus<>()); }
};

/// Seconds that the calling thread has spent in a `feature_collector`, by phase.
struct collector_seconds {
  double requesting = 0; ///< sorting vertices by owner, agreeing with other ranks, sending requests
  double own_rows = 0;   ///< copying rows of this rank and rows that are read in place
  double packing = 0;    ///< copying rows that other ranks requested
  double exchanging = 0; ///< sending and receiving rows; waiting for other ranks included
  double unpacking = 0;  ///< copying received rows to their places

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.requesting, self.own_rows, self.packing, self.exchanging, self.unpacking);
  }
  collector_seconds& operator+=(collector_seconds const& other) noexcept {
    return combine(*this, other, std::plus<>());
  }
};

} // namespace glt::detail
