// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/core/detail/random_lanes.hpp>
#include <glt/core/random.hpp>
#include <glt/sample/detail/pick/smallest_keys.hpp>
#include <glt/sample/rule/weight_tables.hpp>

#include <array>

namespace glt::detail {

// Draws from one row by its alias table: a place, and a coin that chooses between the place's edge and its alias. Draw
// i is a pure function of the stream and i; four draws share a block of places and a block of coins.
template <memory_space Space>
struct table_draws {
  static constexpr std::uint64_t coins = std::uint64_t{1} << 32; // first block of the coins
  static constexpr std::uint64_t extras = std::uint64_t{2} << 32;
  random_stream stream;
  array_view<Space, alias_slot const> row;

  // Returns the words of eight draws for the places (0) or the coins; the first draw is a multiple of 4.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::array<std::uint32_t, 8> eight(std::uint64_t kind,
                                                                             std::int64_t first) const noexcept {
    auto const block = kind + static_cast<std::uint64_t>(first / 4);
    return two_blocks(stream, block, block + 1);
  }

  // Returns the integer part of the degree times a 64-bit fraction, whose lower 32 bits are seldom needed.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint32_t place(std::int64_t draw, std::uint32_t word) const noexcept {
    auto const degree = static_cast<std::uint32_t>(row.size());
    std::uint64_t product = std::uint64_t{word} * degree;
    if (static_cast<std::uint32_t>(product) > 0U - degree) {
      auto const i = static_cast<std::uint64_t>(draw);
      product += (std::uint64_t{stream.block(extras + i / 4)[i % 4]} * degree) >> 32;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Chooses without a branch, which would be mispredicted half of the time.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint32_t edge(std::uint32_t at, std::uint32_t coin) const noexcept {
    auto const slot = row[at];
    std::uint32_t const to_alias = 0U - static_cast<std::uint32_t>(coin >= slot.threshold);
    return at ^ ((at ^ slot.alias) & to_alias);
  }
};

// Distinct edges among the edges added, in `out`; most are told apart by the last six bits of their number.
template <class Position>
struct distinct_edges {
  Position* out;
  std::int64_t size = 0;
  std::uint64_t seen = 0;

  GLT_HOST_DEVICE constexpr void add(std::uint32_t edge) noexcept {
    std::uint64_t const bit = std::uint64_t{1} << (edge % 64);
    if ((seen & bit) == 0 || !contains(out, size, edge)) {
      seen |= bit;
      out[size++] = static_cast<Position>(edge);
    }
  }
};

/// First half of a draw by an alias table: writes the places of `count` draws and prefetches their cache lines.
///
/// For many rows, call the second half of each some rows later.
///
/// @shape  row [degree] slots of the row · out [count], written
/// @pre    degree is above 0 and fits `Position`; not checked
/// @cost   a quarter of a Philox call a draw
template <memory_space Space, class Position>
GLT_HOST_DEVICE void draw_places(random_stream const& stream, array_view<Space, alias_slot const> row,
                                 std::int64_t count, Position* out) noexcept {
  table_draws<Space> const draws{stream, row};
  for (std::int64_t first = 0; first < count; first += 8) {
    auto const words = draws.eight(0, first);
    for (std::int64_t i = first; i < count && i < first + 8; ++i) {
      auto const place = draws.place(i, words[static_cast<std::size_t>(i - first)]);
      out[i] = static_cast<Position>(place);
      prefetch(row.data() + place);
    }
  }
}

/// Second half of a draw: picks edges of a row with replacement, in proportion to their weights.
///
/// @shape  row [degree] slots of the row · out [count], from places of `draw_places` to edges
/// @pre    the row has an edge of positive weight; not checked
/// @cost   O(count); a quarter of a Philox call and one random access a pick; no memory beside out
/// @source Walker, ACM TOMS 3(3), 1977
template <memory_space Space, class Position>
GLT_HOST_DEVICE constexpr void pick_by_table(random_stream const& stream, array_view<Space, alias_slot const> row,
                                             std::int64_t count, Position* out) noexcept {
  table_draws<Space> const draws{stream, row};
  for (std::int64_t first = 0; first < count; first += 8) {
    auto const coins = draws.eight(draws.coins, first);
    for (std::int64_t i = first; i < count && i < first + 8; ++i) {
      out[i] = static_cast<Position>(
          draws.edge(static_cast<std::uint32_t>(out[i]), coins[static_cast<std::size_t>(i - first)]));
    }
  }
}

/// Second half of a draw: picks edges of a row without replacement, each next edge in proportion to its weight among
/// the edges not yet picked.
///
/// Repeated draws are rejected. After `count` + degree draws, `pick_smallest_keys` picks the rest from the stream
/// `rest`. The picks so far do not influence which edge comes next, so the distribution is the same.
///
/// @shape  row [degree] slots of the row · weights [degree] · out [count], from places of `draw_places` to
///         edges
/// @pre    more than `count` edges of the row have positive weight; not checked
/// @cost   O(count + rejected draws), with few rejections unless a weight is far above the others; O(degree · count) at
///         worst, and for more than 64 picks also O(count²) comparisons; no memory beside out
/// @source Walker, ACM TOMS 3(3), 1977; rejection: Wong & Easton, "An efficient method for weighted sampling
///         without replacement", SIAM J. Comput. 9(1), 1980
template <memory_space Space, class Position>
GLT_HOST_DEVICE constexpr void
pick_distinct_by_table(random_stream const& stream, random_stream const& rest, array_view<Space, alias_slot const> row,
                       edge_weights<Space> weights, std::int64_t count, Position* out) noexcept {
  table_draws<Space> const draws{stream, row};
  distinct_edges<Position> picked{out};
  for (std::int64_t first = 0; first < count; first += 8) {
    auto const coins = draws.eight(draws.coins, first);
    for (std::int64_t i = first; i < count && i < first + 8; ++i) {
      // A place is read before its edge, or the edge of an earlier draw, overwrites it.
      picked.add(draws.edge(static_cast<std::uint32_t>(out[i]), coins[static_cast<std::size_t>(i - first)]));
    }
  }
  std::array<std::uint32_t, 8> words{}; // of four draws: places, then coins
  for (std::int64_t i = count; picked.size < count && i < count + row.size(); ++i) {
    if (i % 4 == 0 || i == count) {
      auto const block = static_cast<std::uint64_t>(i / 4);
      words = two_blocks(stream, block, draws.coins + block);
    }
    auto const j = static_cast<std::size_t>(i % 4);
    picked.add(draws.edge(draws.place(i, words[j]), words[j + 4]));
  }
  if (picked.size < count) {
    pick_smallest_keys(rest, weights, picked.size, count, out);
  }
}

} // namespace glt::detail
