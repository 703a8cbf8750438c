// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// Counts the heats above a bound; heats are in descending order.
[[nodiscard]] inline std::int64_t hotter_than(std::span<std::int64_t const> heats, std::int64_t bound) {
  return std::ranges::lower_bound(heats, bound, std::greater<>()) - heats.begin();
}

/// Vertices of this rank from the hottest to the coldest; the lower id is first among equals. Vertices that are never
/// touched are left out.
class vertices_by_heat {
public:
  /// @throws precondition_error  if a hotness is negative or not a number
  explicit vertices_by_heat(host_view<double const> hotness) {
    for (std::int64_t v = 0; v < hotness.size(); ++v) {
      if (!(hotness[v] >= 0)) {
        throw precondition_error(message("hotness of vertex ", v, " of the part is ", hotness[v], "; it is 0 or more"));
      }
      if (hotness[v] > 0) {
        vertices_.push_back(static_cast<local_id>(v));
      }
    }
    std::ranges::sort(vertices_, {}, [&](local_id v) { return std::pair(-hotness[v], v); });
    for (auto const v : vertices_) {
      heats_.push_back(std::bit_cast<std::int64_t>(hotness[v])); // bits of non-negative numbers have the same order
    }
  }

  [[nodiscard]] std::span<local_id const> vertices() const noexcept { return vertices_; }
  /// Returns the bits of their hotness, in descending order, all above 0.
  [[nodiscard]] std::span<std::int64_t const> heats() const noexcept { return heats_; }

private:
  std::vector<local_id> vertices_;
  std::vector<std::int64_t> heats_;
};

/// Summary that a rank sends to others: every `step(count)`-th heat of its `count` hottest vertices.
class frequency_histogram {
public:
  /// Takes so many points that a rank receives few vertices beyond its count.
  explicit frequency_histogram(int ranks) : points_(std::clamp(ranks, 32, 256)) {}

  /// Words of a summary.
  [[nodiscard]] std::int64_t size() const noexcept { return points_ + 1; }

  /// @shape  words [size()], written: number of vertices that the rank offers, then the heat of every step-th
  void write(std::span<std::int64_t const> heats, std::int64_t count, std::span<std::int64_t> words) const {
    auto const wanted = std::min(count, std::ssize(heats));
    std::ranges::fill(words, 0);
    words[0] = wanted;
    for (std::int64_t point = 0; point * step(wanted) < wanted; ++point) {
      auto const last = std::min((point + 1) * step(wanted), wanted) - 1;
      words[static_cast<std::size_t>(point) + 1] = heats[static_cast<std::size_t>(last)];
    }
  }

  /// Returns a heat that at least `count` vertices of all summaries reach; few more than `count` exceed it. Returns 0
  /// if there are fewer vertices.
  ///
  /// @shape  words [R * size()]
  [[nodiscard]] std::int64_t bound(std::span<std::int64_t const> words, std::int64_t count) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> points; // heat, vertices with this heat or more
    for (std::size_t first = 0; first < words.size(); first += static_cast<std::size_t>(size())) {
      auto const wanted = words[first];
      for (std::int64_t point = 0; point * step(wanted) < wanted; ++point) {
        points.emplace_back(words[first + static_cast<std::size_t>(point) + 1],
                            std::min(step(wanted), wanted - point * step(wanted)));
      }
    }
    std::ranges::sort(points, std::greater<>());
    std::int64_t sum = 0;
    for (auto const& [heat, vertices] : points) {
      sum += vertices;
      if (sum >= count) {
        return heat;
      }
    }
    return 0;
  }

private:
  [[nodiscard]] std::int64_t step(std::int64_t wanted) const noexcept {
    return std::max<std::int64_t>(1, (wanted + points_ - 1) / points_);
  }

  std::int64_t points_;
};

/// Computes how many of its hottest vertices every rank sends, `count` in all. Vertices above the bound come first,
/// then vertices at the bound, lower ranks first.
///
/// @shape  above, ties [R] → [R]
[[nodiscard]] inline std::vector<std::int64_t> select_hottest(std::vector<std::int64_t> above,
                                                              std::span<std::int64_t const> ties, std::int64_t count) {
  auto left = count - std::accumulate(above.begin(), above.end(), std::int64_t{0});
  for (std::size_t rank = 0; rank < above.size(); ++rank) {
    auto const more = std::min(left, ties[rank]);
    above[rank] += more;
    left -= more;
  }
  return above;
}

} // namespace glt::detail
