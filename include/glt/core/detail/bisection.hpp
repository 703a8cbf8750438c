// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Returns the first i in [low, high) for which `holds(i)` is true; `high` if there is none.
///
/// @pre    where it is true, it is true for all greater i; not checked
/// @cost   O(log(high − low))
template <class Holds>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t first_where(std::int64_t low, std::int64_t high,
                                                                 Holds const& holds) {
  while (low < high) {
    std::int64_t const middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

} // namespace glt::detail
