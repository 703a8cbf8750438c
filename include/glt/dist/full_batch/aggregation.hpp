// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/space.hpp>
#include <glt/core/view.hpp>

#include <cstdint>

namespace glt::dist {

/// How the rows of in-neighbours become one.
enum class aggregator { sum, mean, max, min };

/// True for those that keep one row's value: `max` and `min`.
[[nodiscard]] constexpr bool is_extreme(aggregator how) noexcept {
  return how == aggregator::max || how == aggregator::min;
}

/// How rows travel between ranks.
enum class wire_format {
  full,     ///< as they are
  bfloat16, ///< in 2 bytes an element: rounded to 8 binary digits on the way, those of the own rank are not
};

/// What a full-batch pass combines.
///
/// @shape  edge_weights [E · heads], by position in the rows of the part, heads of an edge together; or empty: all are 1
template <memory_space Space, class T>
struct aggregation {
  aggregator how = aggregator::sum; ///< a mean divides by the number of in-edges, weighted or not
  array_view<Space, T const> edge_weights = {};
  /// Sums and means get the same bits for any number of ranks, partition and number of threads: terms are rounded to about
  /// 2⁻⁵⁰ of the largest product in the graph and added in fixed point. Costs 8 bytes an element of the result and of
  /// backward messages, one reduction more, and about twice the time of a sum of floats.
  bool reproducible = false;
  /// Messages of both directions; not together with `reproducible`, since what is rounded depends on the partition.
  wire_format wire = wire_format::full;
  std::int64_t heads = 1; ///< F is a multiple; head h weighs columns [h · F / heads, (h + 1) · F / heads)

  [[nodiscard]] constexpr std::int64_t head_columns(std::int64_t columns) const noexcept {
    return columns / heads > 0 ? columns / heads : 1;
  }
};

} // namespace glt::dist
