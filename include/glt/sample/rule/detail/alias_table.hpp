// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/sample/rule/weights.hpp>

#include <limits>

namespace glt::detail {

/// One place of an alias table: a number in [0, 2³²) below `threshold` stands for the edge of the place, any other
/// number for edge `alias` of the same row.
struct alias_slot {
  std::uint32_t threshold;
  std::uint32_t alias;
};

inline constexpr std::uint32_t always = std::numeric_limits<std::uint32_t>::max();

// Returns the first edge from i on that is heavier than a share, or that is not.
template <memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t next_edge(edge_weights<Space> row, std::int64_t i, double share,
                                                               bool heavier) noexcept {
  while (i < row.size() && (static_cast<double>(row[i]) > share) != heavier) {
    ++i;
  }
  return i;
}

[[nodiscard]] GLT_HOST_DEVICE constexpr alias_slot make_slot(double weight, double share, std::int64_t alias) noexcept {
  double const scaled = weight / share * 0x1p32;
  return {scaled < always ? static_cast<std::uint32_t>(scaled) : always, static_cast<std::uint32_t>(alias)};
}

/// Builds the alias table of one row, by two sweeps over its light and its heavy edges.
///
/// @shape  row [degree] · slots [degree], written; a table of zero weights is useless
/// @pre    the weights are finite and 0 or more, degree is below 2³²; not checked
/// @cost   O(degree), no memory beside slots
/// @source Walker, "An efficient method for generating discrete random variables with general distributions",
///         ACM TOMS 3(3), 1977; the sweeps: Hübschle-Schneider & Sanders, "Parallel weighted random
///         sampling", ACM TOMS 48(3), 2022
template <memory_space Space>
GLT_HOST_DEVICE constexpr void fill_alias_table(edge_weights<Space> row, array_view<Space, alias_slot> slots) noexcept {
  auto const degree = row.size();
  double sum = 0; // of doubles: a sum of floats may overflow
  std::int64_t heaviest = 0;
  for (std::int64_t i = 0; i < degree; ++i) {
    sum += static_cast<double>(row[i]);
    heaviest = row[i] > row[heaviest] ? i : heaviest;
  }
  double const share = sum / static_cast<double>(degree); // weight of every slot
  auto light = next_edge(row, 0, share, false);
  auto heavy = next_edge(row, 0, share, true);
  double left = heavy < degree ? static_cast<double>(row[heavy]) : 0; // of the heavy edge, not yet in a slot
  while (heavy < degree) {
    if (left > share) {
      if (light == degree) {
        break;
      }
      slots[light] = make_slot(static_cast<double>(row[light]), share, heavy);
      left += static_cast<double>(row[light]) - share;
      light = next_edge(row, light + 1, share, false);
    } else {
      auto const following = next_edge(row, heavy + 1, share, true);
      if (following == degree) {
        break;
      }
      slots[heavy] = make_slot(left, share, following);
      left += static_cast<double>(row[following]) - share;
      heavy = following;
    }
  }
  // Each remaining edge fills one share, up to rounding.
  for (; heavy < degree; heavy = next_edge(row, heavy + 1, share, true)) {
    slots[heavy] = {always, static_cast<std::uint32_t>(heavy)};
  }
  for (; light < degree; light = next_edge(row, light + 1, share, false)) {
    slots[light] = row[light] > 0 ? alias_slot{always, static_cast<std::uint32_t>(light)}
                                  : alias_slot{0, static_cast<std::uint32_t>(heaviest)};
  }
}

} // namespace glt::detail
