// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/detail/balance_loads.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/stream/detail/part_capacities.hpp>

namespace glt::detail {

/// Limits of `assign_by_hotness`.
struct frequency_options {
  double capacity_slack = 0.05;  ///< a part has at most (1 + slack) · V / P vertices, rounded up
  balance_constraints balance{}; ///< kept, like the capacity, if a part has room
};

// Returns how much hotter each vertex is in its best part than in its second best.
inline std::vector<double> advantages(host_matrix<double const> hotness) {
  std::vector<double> second(static_cast<std::size_t>(hotness.columns()), 0);
  std::vector<double> best(second.size(), 0);
  for (std::int64_t part = 0; part < hotness.rows(); ++part) {
    for (std::size_t v = 0; v < best.size(); ++v) {
      auto const found = hotness(part, static_cast<std::int64_t>(v));
      if (!(found >= 0)) {
        throw precondition_error(
            message("hotness of vertex ", v, " in part ", part, " is ", found, "; hotness is 0 or more"));
      }
      second[v] = std::max(second[v], std::min(best[v], found));
      best[v] = std::max(best[v], found);
    }
  }
  for (std::size_t v = 0; v < best.size(); ++v) {
    best[v] -= second[v];
  }
  return best;
}

/// Assigns every vertex to the part that needs it most often and has room for it.
///
/// Vertices that lose most in another part are assigned first. They are ordered by how much hotter they are in their
/// best part than in their second best, then by number. Parts where a vertex is equally hot, or cold, are ordered by
/// size, then by number. If limits leave room in no part, the vertex goes to the part whose tightest capacity it
/// exceeds least.
///
/// @shape  hotness [P, V], by `estimate_hotness` from the seeds of each part → [V]
/// @throws precondition_error  if there is no part, a hotness is negative or not a number, capacity_slack is
///                             negative, or `balance` is wrong
/// @cost   O(V · (P + log V) + V · limits); memory O(V)
[[nodiscard]] inline buffer<device::cpu, local_id> assign_by_hotness(host_matrix<double const> hotness,
                                                                     frequency_options const& options = {}) {
  auto const num_vertices = hotness.columns();
  auto const num_parts = static_cast<int>(hotness.rows());
  detail::check_num_parts(num_parts);
  detail::check_slack("assignment by hotness", options.capacity_slack);
  auto const advantage = detail::advantages(hotness);
  std::vector<std::int64_t> order(advantage.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
    auto const first = advantage[static_cast<std::size_t>(a)];
    auto const second = advantage[static_cast<std::size_t>(b)];
    return first > second || (first == second && a < b);
  });
  detail::part_capacities capacities(detail::part_capacity(num_vertices, 1, options.capacity_slack, num_parts),
                                     options.balance, num_vertices, num_parts);
  buffer<device::cpu, local_id> part_of(num_vertices);
  for (auto const v : order) {
    capacities.weigh(v);
    auto best = capacities.smallest();
    for (int part = 0; part < num_parts; ++part) {
      auto const candidate = static_cast<std::size_t>(part);
      auto const found = hotness(part, v);
      auto const known = hotness(static_cast<std::int64_t>(best), v);
      if ((found > known || (found == known && capacities.sizes().precedes(candidate, best))) &&
          capacities.has_capacity(candidate)) {
        best = candidate;
      }
    }
    part_of[v] = static_cast<local_id>(best);
    capacities.add(best);
  }
  return part_of;
}

} // namespace glt::detail
