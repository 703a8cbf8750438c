// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/sample/detail/pick/pick.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

// Picks of a row by a team (exec/detail/team.hpp) are the same, and in the same order, as by one thread.

/// Picks as `pick_distinct`, with a lane for each pick; false, with invalid picks, if a draw may have to be rejected.
///
/// @pre    0 < count <= the size of the team, and count < degree < 2³¹; not checked
template <class Team, class Picks>
GLT_HOST_DEVICE constexpr bool pick_distinct_by(Team const& team, random_stream const& stream, std::int64_t degree,
                                                int count, Picks& picks) {
  auto const last = [&](int draw) { return static_cast<std::int32_t>(degree - count + draw); };
  if (team.any([&](int lane) {
        auto const bound = static_cast<std::uint32_t>(last(lane)) + 1;
        auto const words = stream.block(static_cast<std::uint64_t>(lane / 4));
        std::uint64_t const product = std::uint64_t{word_at(words, static_cast<std::uint32_t>(lane % 4))} * bound;
        picks[lane] = static_cast<std::int32_t>(product >> 32);
        return lane < count && static_cast<std::uint32_t>(product) < bound;
      })) {
    return false;
  }
  for (int settled = 0; settled + 1 < count; ++settled) {
    auto const pick = team.get(picks, settled);
    team.on_lanes([&](int lane) { picks[lane] = lane > settled && picks[lane] == pick ? last(lane) : picks[lane]; });
  }
  return true;
}

/// Picks as `pick_positions`, but calls emit(i, position) for pick i, in any order; emit may write to out[i].
///
/// @shape  out [num_picked(degree, options)], scratch
template <class Team, class Position, class Emit>
GLT_HOST_DEVICE constexpr void pick_positions_by(Team const& team, random_stream const& stream, std::int64_t degree,
                                                 hop_options options, Position* out, Emit emit) {
  static_assert(Team::size >= most_at_once);
  auto const count = num_picked(degree, options);
  if (!options.replace && count == degree) {
    team.for_each(count, [&](std::int64_t i) { emit(i, i); });
    return;
  }
  typename Team::template values<std::int32_t> picks;
  if (!options.replace && count <= most_at_once && degree <= std::numeric_limits<std::int32_t>::max() &&
      pick_distinct_by(team, stream, degree, static_cast<int>(count), picks)) {
    team.on_lanes([&](int lane) { lane < count ? emit(lane, picks[lane]) : void(); });
    return;
  }
  team.once([&] { pick_positions(stream, degree, options, out); });
  team.for_each(count, [&](std::int64_t i) { emit(i, out[i]); });
}

/// Picks as `pick_smallest`: lanes compare keys with the largest kept key, and lane 0 keeps smaller ones.
template <class Team, class KeyOf, class Position>
GLT_HOST_DEVICE constexpr void pick_smallest_by(Team const& team, KeyOf const& key_of, std::int64_t size,
                                                std::int64_t count, Position* out) {
  auto const smaller = [&](Position a, Position b) {
    auto const of_a = key_of(a);
    auto const of_b = key_of(b);
    return of_a != of_b ? of_a < of_b : a < b;
  };
  team.once([&] {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(i);
    }
    make_heap(out, count, smaller);
  });
  auto largest = key_of(out[0]);
  auto const fits = [&](auto bound, std::int64_t i) { return key_of(i) < bound; };
  team.visit_if(count, size, largest, fits, [&](auto& bound, std::int64_t i) {
    if (fits(bound, i)) {
      out[0] = static_cast<Position>(i);
      sift_down(out, count, 0, smaller);
      bound = key_of(out[0]);
    }
  });
  team.once([&] { heap_sort(out, count, [](Position a, Position b) { return a < b; }); });
}

} // namespace glt::detail
