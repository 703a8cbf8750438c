// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <cstdint>

namespace glt::dist {

/// Reduction of the rows of in-neighbours to one row.
enum class aggregator { sum, mean, max, min };

} // namespace glt::dist

namespace glt::detail {

/// Returns true for `max` and `min`, which keep one row's value.
[[nodiscard]] constexpr bool is_extreme(dist::aggregator how) noexcept {
  return how == dist::aggregator::max || how == dist::aggregator::min;
}

} // namespace glt::detail

namespace glt::dist {

/// Options of a full-batch aggregation.
///
/// @shape  edge_weights [E · heads], by position in the rows of the part, heads of an edge together; or empty: all
///         weights are 1
template <memory_space Space, class T>
struct aggregation {
  aggregator how = aggregator::sum; ///< a mean divides by the number of in-edges, weighted or not
  array_view<Space, T const> edge_weights = {};
  /// Sums and means get the same bits for any number of ranks, partition and number of threads: terms are rounded and
  /// added in fixed point. A term is off by at most 2⁻⁵⁰ of its column's largest value times the largest weight of its
  /// head, or by d · 2⁻⁶⁰ of it where the largest degree d is above 2¹⁰. Costs 8 bytes an element of the result and of
  /// backward messages, a reduction of 2F doubles, and about twice the time of a sum of floats.
  bool reproducible = false;
  /// If true, rows travel between ranks in 2 bytes an element, in both directions: remote rows are rounded to 8 binary
  /// digits, local rows are not. Ignored if `reproducible`, since the partition decides which rows are rounded.
  bool bfloat16_rows = false;
  std::int64_t heads = 1; ///< F is a multiple of it; head h weighs columns [h · F / heads, (h + 1) · F / heads)

  [[nodiscard]] constexpr std::int64_t head_columns(std::int64_t columns) const noexcept {
    return columns / heads > 0 ? columns / heads : 1;
  }
};

/// Options for the exchange of rows of a `sharded_graph`; the same on all ranks.
struct sharding_options {
  /// Number of shards that are received while another one is used: 0 to R − 1; more counts as R − 1.
  std::int64_t depth = 1;
  /// Use of a small vertex cover of the edges between two ranks, so that fewer rows travel. Aggregations then send the
  /// rows of some sources and, for edges of the other sources, partial results of some destinations. Weights of these
  /// edges travel too, and for a maximum or minimum 4 bytes an element for its edge. If that is more than the rows of
  /// all sources, these travel instead. Takes 16 to 20 more bytes for every edge between ranks, and memory for as many
  /// rows as without. Not for passes that are `reproducible` or round rows, nor for gradients by weights.
  bool cover = false;
};

} // namespace glt::dist

namespace glt::detail {

/// Costs of the full-batch passes of a rank so far.
struct full_batch_report {
  std::int64_t passes = 0;            ///< over all shards
  std::int64_t messages = 0;          ///< sent, with rows of vertices; headers not counted
  std::int64_t bytes = 0;             ///< of these messages
  std::int64_t peak_remote_bytes = 0; ///< largest memory of other ranks' rows at a time
  double seconds_waiting = 0;         ///< for messages of other ranks
};

} // namespace glt::detail
