// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <limits>

namespace glt::dist {

/// Memory of hot rows of that many vertices, look-up table included.
[[nodiscard]] constexpr std::int64_t hot_bytes(std::int64_t vertices, std::int64_t row_bytes) noexcept {
  return vertices * row_bytes + detail::id_table<device::cpu>::bytes_of(vertices);
}

/// The most hot rows of that many bytes each that fit a budget, look-up table included.
///
/// @cost   O(1)
[[nodiscard]] constexpr std::int64_t hot_capacity(std::int64_t budget_bytes, std::int64_t row_bytes) noexcept {
  std::int64_t fits = 0;
  std::int64_t beyond = std::int64_t{std::numeric_limits<local_id>::max()} + 1;
  while (beyond - fits > 1) {
    auto const middle = fits + (beyond - fits) / 2;
    (hot_bytes(middle, row_bytes) <= budget_bytes ? fits : beyond) = middle;
  }
  return fits;
}

} // namespace glt::dist
