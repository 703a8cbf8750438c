// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Rows of one source, and the places that they go to.
///
/// Places ascend. Rows of the first keys of a batch, for which more tensors are requested (such as labels), come first.
/// They are flagged: complemented, and thus negative.
///
/// @shape  rows, places [size]; the rows of a request have no places
struct row_list {
  local_id const* rows = nullptr;
  std::int64_t const* places = nullptr;
  std::int64_t size = 0;
  std::int64_t num_flagged = 0;

  /// Returns the items [begin, end).
  [[nodiscard]] row_list part(std::int64_t begin, std::int64_t end) const noexcept {
    return {rows + begin, places + (places == nullptr ? 0 : begin), end - begin,
            std::clamp<std::int64_t>(num_flagged - begin, 0, end - begin)};
  }
};

/// Bound between flagged rows, which are below it, and other rows.
inline constexpr std::array<std::int64_t, 1> first_unflagged{0};

/// Returns the row of a number of a `row_list`.
[[nodiscard]] GLT_HOST_DEVICE constexpr local_id unflagged(local_id row) noexcept {
  return row < 0 ? ~row : row;
}

/// Source rows of a copy: item i is row unflagged(rows[i]).
struct rows_unflagged {
  local_id const* rows;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return unflagged(rows[i]); }
};

} // namespace glt::detail
