// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace glt::detail {

/// Rows of one source, and the places that they go to.
///
/// The places ascend. Rows of the first keys of a batch, of which more is wanted than of the others (such as labels),
/// come first and are flagged: complemented, and thus negative.
///
/// @shape  rows, places [size]; the rows of a request have no places
struct row_list {
  local_id const* rows = nullptr;
  std::int64_t const* places = nullptr;
  std::int64_t size = 0;
  std::int64_t num_flagged = 0;

  /// The items [begin, end).
  [[nodiscard]] row_list part(std::int64_t begin, std::int64_t end) const noexcept {
    return {rows + begin, places + (places == nullptr ? 0 : begin), end - begin,
            std::clamp<std::int64_t>(num_flagged - begin, 0, end - begin)};
  }
};

/// Flagged rows are below it.
inline constexpr std::array<std::int64_t, 1> first_unflagged{0};

/// The row behind a number of a `row_list`.
[[nodiscard]] GLT_HOST_DEVICE constexpr local_id unflagged(local_id row) noexcept {
  return row < 0 ? ~row : row;
}

/// Item i of a copy is the row that number i of a `row_list` names.
struct rows_unflagged {
  local_id const* rows;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return unflagged(rows[i]); }
};

} // namespace glt::detail
