// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/tier/detail/striped_rows.hpp>

namespace glt::detail {

/// Position of the row of a vertex: number s ≥ 0 among the hot rows, or number −1 − s among the cold ones.
using tier_slot = std::int32_t;

/// Hot rows of some features and the position of every row; empty if there are no slots.
///
/// @shape  hot [H, bytes of a row] · slots [V]
template <memory_space Space>
struct row_tier {
  striped_rows<Space, std::byte> hot{};
  tier_slot const* slots = nullptr;
};

/// Address of row from(i), which is hot or cold.
template <memory_space Space, class From>
struct tiered_rows_at {
  row_tier<Space> tier;
  std::byte const* cold;
  From from;

  [[nodiscard]] GLT_HOST_DEVICE std::byte const* operator()(std::int64_t i) const {
    auto const slot = tier.slots[from(i)];
    return slot >= 0 ? tier.hot.row(slot) : cold + std::int64_t{~slot} * tier.hot.columns();
  }
};

} // namespace glt::detail
