// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>

namespace glt::detail {

/// Returns the row of an edge, by bisection of the offsets: for threads that process one edge each.
///
/// @shape  offsets [S + 1], ascending from 0
/// @pre    edge is in [0, offsets[S]); not checked
/// @cost   O(log S)
template <memory_space Space, class Offset>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t row_of_edge(array_view<Space, Offset const> offsets,
                                                                 std::int64_t edge) noexcept {
  return first_where(0, offsets.size() - 2, [&](std::int64_t row) { return offsets[row + 1] > edge; });
}

} // namespace glt::detail
