// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/random.hpp>
#include <glt/io/data_set_view.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace glt::io::detail {

/// Memory of `find_one_sided`, made before ranks wait for each other's sums.
struct one_sided_sums {
  static constexpr std::size_t most_ranges = 4096;
  std::vector<std::uint64_t> sums;
  std::vector<std::int64_t> halves; // 32 bits each, whose sums over ranks fit

  one_sided_sums() {
    sums.reserve(most_ranges);
    halves.reserve(2 * most_ranges);
  }
};

/// Returns the first pair of different vertices whose edges differ between the two directions: in number, or in
/// weights. Nothing if every edge has its reverse; self-loops are their own reverse.
///
/// Compares sums of 64-bit hashes, so a difference is missed with a probability of 2⁻⁶⁴.
///
/// `reduce(sums)` adds up the sums of all ranks; every rank calls it equally often, and allocates nothing before.
///
/// @pre    all ids are in [0, num_vertices); not checked
/// @cost   O(E) once, and up to 12 times if there is such a pair
template <class Reduce>
[[nodiscard]] std::optional<std::pair<global_id, global_id>>
find_one_sided(edge_columns const& edges, std::int64_t num_vertices, one_sided_sums& memory, Reduce reduce) {
  constexpr auto most_ranges = static_cast<std::int64_t>(one_sided_sums::most_ranges);
  auto& [sums, halves] = memory;
  auto const difference = [&](std::int64_t e, global_id low, global_id high) {
    auto const weight = edges.weights.empty() ? 0U : std::bit_cast<std::uint32_t>(edges.weights[e] + 0.0F);
    auto const hash =
        glt::detail::mix64(glt::detail::mix64(static_cast<std::uint64_t>(low)) + static_cast<std::uint64_t>(high)) +
        weight;
    auto const mixed = glt::detail::mix64(hash);
    return edges.sources[e] == low ? mixed : -mixed;
  };
  // Returns the first key in [0, V) whose edges do not cancel out; key(low, high) is −1 for edges to leave out.
  auto const search = [&](auto key) -> std::optional<global_id> {
    global_id first = 0;
    auto size = num_vertices;
    bool found = false;
    while (size > 0 && (!found || size > 1)) {
      auto const step = (size + most_ranges - 1) / most_ranges;
      sums.assign(static_cast<std::size_t>((size + step - 1) / step), 0);
      for (std::int64_t e = 0; e < edges.sources.size(); ++e) {
        auto const [low, high] = std::minmax({edges.sources[e], edges.destinations[e]});
        auto const place = key(low, high) - first;
        if (low != high && place >= 0 && place < size) {
          sums[static_cast<std::size_t>(place / step)] += difference(e, low, high);
        }
      }
      halves.clear();
      for (auto const sum : sums) {
        halves.push_back(static_cast<std::int64_t>(sum & 0xFFFFFFFFU));
        halves.push_back(static_cast<std::int64_t>(sum >> 32));
      }
      reduce(std::span<std::int64_t>(halves));
      std::size_t range = 0;
      while (range < sums.size() && static_cast<std::uint64_t>(halves[2 * range]) +
                                            (static_cast<std::uint64_t>(halves[2 * range + 1]) << 32) ==
                                        0) {
        ++range;
      }
      if (range == sums.size()) {
        return std::nullopt;
      }
      found = true;
      first += static_cast<std::int64_t>(range) * step;
      size = std::min(step, size - static_cast<std::int64_t>(range) * step);
    }
    return found ? std::optional(first) : std::nullopt;
  };
  auto const low = search([](global_id one, global_id) { return one; });
  if (!low) {
    return std::nullopt;
  }
  auto const high = search([&](global_id one, global_id other) { return one == *low ? other : global_id{-1}; });
  return high ? std::optional(std::pair(*low, *high)) : std::nullopt;
}

} // namespace glt::io::detail
