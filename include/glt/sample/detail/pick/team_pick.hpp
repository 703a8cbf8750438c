// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/heap.hpp>
#include <glt/core/random.hpp>
#include <glt/core/space.hpp>
#include <glt/sample/detail/pick/pick.hpp>
#include <glt/sample/detail/pick/smallest_keys.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/weights.hpp>

#include <cstdint>
#include <limits>

namespace glt::detail {

// The picks of a row by a team (exec/detail/team.hpp): the same ones, in the same order, as by one thread.

/// `pick_distinct` with a lane for each pick; false, with picks that mean nothing, if a draw may have to be rejected.
///
/// @pre    0 < count <= the size of the team, and count < degree < 2³¹; not checked
template <class Team, class Picks>
GLT_HOST_DEVICE constexpr bool pick_distinct_by(Team const& team, random_stream const& stream,
                                                std::int64_t degree, int count, Picks& picks) {
  auto const last = [&](int draw) { return static_cast<std::int32_t>(degree - count + draw); };
  if (team.any([&](int lane) {
        auto const bound = static_cast<std::uint32_t>(last(lane)) + 1;
        auto const words = stream.block(static_cast<std::uint64_t>(lane / 4));
        std::uint64_t const product =
            std::uint64_t{word_at(words, static_cast<std::uint32_t>(lane % 4))} * bound;
        picks[lane] = static_cast<std::int32_t>(product >> 32);
        return lane < count && static_cast<std::uint32_t>(product) < bound;
      })) {
    return false;
  }
  for (int settled = 0; settled + 1 < count; ++settled) {
    auto const pick = team.get(picks, settled);
    team.on_lanes(
        [&](int lane) { picks[lane] = lane > settled && picks[lane] == pick ? last(lane) : picks[lane]; });
  }
  return true;
}

/// `pick_positions`, but calls emit(i, position) for pick i, in any order; emit may write to out[i].
///
/// @shape  out [num_picked(degree, options)], scratch
template <class Team, class Position, class Emit>
GLT_HOST_DEVICE constexpr void pick_positions_by(Team const& team, random_stream const& stream,
                                                 std::int64_t degree, hop_options options, Position* out,
                                                 Emit emit) {
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

/// `pick_smallest`: lanes compare the keys with the largest one that is kept, and lane 0 keeps those that are smaller.
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

/// `pick_smallest_keys` where nothing was taken before, by the same division of the work.
template <class Position, class Team, class Heap>
GLT_HOST_DEVICE constexpr void keep_smallest_keys_by(Team const& team, Heap heap, std::int64_t count) {
  auto const keys = heap.keys;
  std::int64_t next = 0;
  double limit = 0;
  team.once([&] {
    for (std::int64_t filled = 0; next < keys.row.size(); ++next) {
      if (keys.row[next] > 0) {
        if (filled == count) {
          heap.order(count);
          limit = heap.latest() * above_rounding;
          break;
        }
        heap.out[filled++] = static_cast<Position>(next);
      }
    }
  });
  next = team.broadcast(next);
  limit = team.broadcast(limit);
  if (next == keys.row.size()) {
    return; // nothing to choose: row order
  }
  auto const may_arrive = [&](double bound, std::int64_t p) {
    auto const pair = word_pair(keys.stream, static_cast<std::uint64_t>(p / 2));
    double const weight = static_cast<double>(keys.row[p]);
    return weight > 0 &&
           !(static_cast<double>(minus_log2_at_least(p % 2 != 0 ? pair[1] : pair[0])) > bound * weight);
  };
  team.visit_if(next, keys.row.size(), limit, may_arrive, [&](double& bound, std::int64_t p) {
    if (auto const edge = keys(p); edge.key < heap.latest()) {
      heap.replace_latest(count, edge);
      bound = heap.latest() * above_rounding;
    }
  });
  team.once([&] { heap.sort(count); });
}

/// `pick_smallest_keys` where nothing was taken before.
///
/// @pre    the row has `count` edges of positive weight, and count is above 0; not checked
template <class Team, memory_space Space, class Position>
GLT_HOST_DEVICE constexpr void pick_smallest_keys_by(Team const& team, random_stream const& stream,
                                                     edge_weights<Space> row, std::int64_t count,
                                                     Position* out) {
  edge_keys<Space> const keys{stream, row};
  if (count <= heap_with_keys<Space, Position>::capacity) {
    keep_smallest_keys_by<Position>(team, heap_with_keys<Space, Position>{keys, out}, count);
  } else {
    keep_smallest_keys_by<Position>(team, heap_without_keys<Space, Position>{keys, out}, count);
  }
}

} // namespace glt::detail
