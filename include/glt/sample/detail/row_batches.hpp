// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Limits of a batch of rows.
struct row_batch_limits {
  std::int64_t max_edges = std::int64_t{1} << 20; ///< edges of a batch
  std::int64_t max_rows = std::int64_t{1} << 16;  ///< rows (destinations) of a batch
};

/// @throws precondition_error  if a limit is below 1
inline void validate(row_batch_limits const& limits) {
  if (limits.max_edges < 1 || limits.max_rows < 1) {
    throw precondition_error(message("batches of at most ", limits.max_edges, " edges and ", limits.max_rows,
                                     " vertices; give limits of 1 or more"));
  }
}

/// Consecutive rows with all their edges, or one piece of a single row that is too long for a batch.
struct row_batch {
  std::int64_t first = 0;      ///< first row
  std::int64_t num_rows = 0;   ///< 0 at the end; 1 if it is a piece
  std::int64_t first_edge = 0; ///< position of its first edge within the first row: 0 unless it is a later piece
  std::int64_t num_edges = 0;
  bool first_piece = true; ///< no edge of its rows came in an earlier batch
  bool last_piece = true;  ///< no edge of its rows comes in a later batch

  friend bool operator==(row_batch const&, row_batch const&) = default;
};

/// Returns the batch after `last`, which is `{}` before the first one; without rows at the end.
///
/// A row that fits in a batch is never cut. A longer row gets several batches, all full but the last.
///
/// @pre    limits are valid, and degree_of(row) ≥ 0 for every row in [0, num_rows); not checked
/// @cost   O(rows of the batch)
template <std::invocable<std::int64_t> DegreeOf>
[[nodiscard]] constexpr row_batch next_row_batch(row_batch const& last, std::int64_t num_rows, DegreeOf degree_of,
                                                 row_batch_limits const& limits) {
  if (!last.last_piece) {
    auto const done = last.first_edge + last.num_edges;
    auto const rest = degree_of(last.first) - done;
    return {.first = last.first,
            .num_rows = 1,
            .first_edge = done,
            .num_edges = std::min(rest, limits.max_edges),
            .first_piece = false,
            .last_piece = rest <= limits.max_edges};
  }
  row_batch next{.first = last.first + last.num_rows};
  while (next.num_rows < limits.max_rows && next.first + next.num_rows < num_rows) {
    std::int64_t const degree = degree_of(next.first + next.num_rows);
    if (degree > limits.max_edges && next.num_rows == 0) {
      return {.first = next.first, .num_rows = 1, .num_edges = limits.max_edges, .last_piece = false};
    }
    if (degree > limits.max_edges - next.num_edges) {
      break;
    }
    next.num_edges += degree;
    ++next.num_rows;
  }
  return next;
}

} // namespace glt::detail
