// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>

#include <compare>

namespace glt::detail {

/// Edge by its row in the graph.
struct row_edge {
  std::int64_t row;
  std::int64_t source;
  friend constexpr auto operator<=>(row_edge const&, row_edge const&) = default;
  friend constexpr bool operator==(row_edge const&, row_edge const&) = default; // nvcc loses the one implied
};

/// Edges that sampling leaves out, by row.
///
/// @shape  filter: a power of two of words, or empty · rows [X], ascending · offsets [X + 1] · positions
///         [offsets[X]], ascending in every row
/// @units  positions count from the first edge of the row · row r of the graph is row first_row + r, for views of
///         several batches
template <memory_space Space>
struct exclusions_view {
  array_view<Space, std::uint64_t const> filter;
  array_view<Space, std::int64_t const> rows;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, edge_offset const> positions;
  std::int64_t first_row = 0;

  /// Returns the excluded positions of a row.
  ///
  /// @cost   O(1) for 15 of 16 rows without any; else O(log X)
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, edge_offset const> of(std::int64_t row) const noexcept {
    row += first_row;
    if (filter.empty() || ((filter[word(row, filter.size())] >> bit(row)) & 1U) == 0) {
      return {};
    }
    auto const i = detail::first_where(0, rows.size(), [&](std::int64_t at) { return rows[at] >= row; });
    return i < rows.size() && rows[i] == row ? positions.subview(offsets[i], offsets[i + 1] - offsets[i])
                                             : array_view<Space, edge_offset const>();
  }

  // Place of a row in the filter.
  [[nodiscard]] GLT_HOST_DEVICE static constexpr std::int64_t word(std::int64_t row, std::int64_t words) noexcept {
    return static_cast<std::int64_t>((mixed(row) >> 6) & static_cast<std::uint64_t>(words - 1));
  }
  [[nodiscard]] GLT_HOST_DEVICE static constexpr int bit(std::int64_t row) noexcept {
    return static_cast<int>(mixed(row) & 63U);
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE static constexpr std::uint64_t mixed(std::int64_t row) noexcept {
    return (static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15ULL) >> 32;
  }
};

} // namespace glt::detail
