// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <cmath>

namespace glt {

namespace detail {

/// Number of hot rows of a `tiered_store`: as many as both limits allow, such as `{.ratio = 0.2}` or `{.bytes = 1 <<
/// 30}`.
struct hot_limit {
  double ratio = 1;                                              ///< of all rows, the nearest number of them
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max(); ///< memory of a device, with 4 for every vertex
};

/// Returns the rows that a limit allows, over some devices, each of which needs `other_bytes` beside its rows.
///
/// @throws precondition_error  if the ratio is not in [0, 1], or the bytes are negative
[[nodiscard]] inline std::int64_t rows_within(hot_limit limit, std::int64_t rows, std::int64_t row_bytes,
                                              std::int64_t other_bytes, std::int64_t devices) {
  if (!(limit.ratio >= 0 && limit.ratio <= 1) || limit.bytes < 0) {
    throw precondition_error(message("hot rows within a ratio of ", limit.ratio, " and ", limit.bytes,
                                     " bytes; give a ratio from 0 to 1 and 0 bytes or more"));
  }
  auto const by_ratio = static_cast<std::int64_t>(std::llround(limit.ratio * static_cast<double>(rows)));
  auto const for_rows = limit.bytes - other_bytes;
  auto const of_device = for_rows < 0 ? 0 : row_bytes > 0 ? std::min(rows, for_rows / row_bytes) : rows;
  return std::min({rows, by_ratio, of_device * devices});
}

} // namespace detail
} // namespace glt
