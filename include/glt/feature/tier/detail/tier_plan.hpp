// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/feature/tier/tiered_view.hpp>

#include <vector>

namespace glt::detail {

/// Placement of the rows of a tiered store: the first rows of a ranking are hot and go to the devices round robin.
struct tier_plan {
  std::vector<std::vector<local_id>> hot; // of every device, the hottest first
  std::vector<local_id> cold;             // ascending; empty if the cold rows are all rows
  std::vector<tier_slot> slots;           // [V]
};

/// @shape  ranking [R] distinct vertices, the hottest first; `count` of them are hot
/// @throws precondition_error  if one of these is not in [0, V) or comes twice, or there are 2³¹ vertices or more
[[nodiscard]] inline tier_plan plan_tiers(std::int64_t vertices, host_view<local_id const> ranking, std::int64_t count,
                                          std::size_t devices, bool cold_has_all) {
  static_cast<void>(narrow<tier_slot>(vertices, "number of vertices of a tiered store"));
  constexpr tier_slot unranked = -1;
  tier_plan plan{.hot = std::vector<std::vector<local_id>>(devices),
                 .cold = {},
                 .slots = std::vector<tier_slot>(static_cast<std::size_t>(vertices), unranked)};
  for (std::int64_t i = 0; i < count; ++i) {
    auto const vertex = ranking[i];
    if (vertex < 0 || vertex >= vertices) {
      throw precondition_error(message("hot vertex ", i, " is ", vertex, ", which is not in [0, ", vertices, ")"));
    }
    auto& slot = plan.slots[static_cast<std::size_t>(vertex)];
    if (slot != unranked) {
      throw precondition_error(
          message("hot vertex ", i, " is ", vertex, ", as hot vertex ", slot, "; rank each vertex once"));
    }
    slot = static_cast<tier_slot>(i);
    plan.hot[static_cast<std::size_t>(i) % devices].push_back(vertex);
  }
  tier_slot next = 0;
  for (std::size_t v = 0; v < plan.slots.size(); ++v) {
    auto const vertex = static_cast<local_id>(v);
    if (auto& slot = plan.slots[v]; slot == unranked) {
      slot = cold_has_all ? ~vertex : ~next++;
      if (!cold_has_all) {
        plan.cold.push_back(vertex);
      }
    }
  }
  return plan;
}

} // namespace glt::detail
