// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/walk/detail/serial_walks.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>

namespace glt::detail {

/// Value that a walker carries until it has a key: its batch, and its number among the walks of its start.
struct unnamed_walk {
  std::int64_t batch;
  std::int64_t number;

  [[nodiscard]] GLT_HOST_DEVICE constexpr walk_draws packed() const noexcept {
    return walk_draws(static_cast<std::uint64_t>(batch << 32 | number));
  }
  [[nodiscard]] static GLT_HOST_DEVICE constexpr unnamed_walk unpacked(walk_draws draws) noexcept {
    auto const bits = static_cast<std::int64_t>(draws.bits());
    return {bits >> 32, bits & 0xFFFFFFFF};
  }
};

/// Gives a walker at its start, in rows of `part`, the key of its walk. The key needs the start's original id, which its
/// owner knows.
///
/// @shape  keys [batches]
template <memory_space Space, vertex_id Vertex>
struct name_walker {
  part_rows<Space, Vertex> rows; ///< rows in which walks start
  array_view<Space, random_key const> keys;
  original_ids<Space> original;

  GLT_HOST_DEVICE void operator()(auto& walker, std::int32_t part) const {
    auto const [batch, number] = unnamed_walk::unpacked(walker.draws);
    auto const& names = part == rows.rank ? original : rows.others.original[part];
    walker.draws = walk_draws(keys[batch], number, names[walker.row_in(rows)]);
  }
};

/// Starts walkers of a batch; their first moves are to the owners of the starts.
///
/// @shape  walkers, moves [n], written, for walks [first, first + n) of the batch
template <class Walker, memory_space Space, vertex_id Vertex>
struct start_walkers {
  array_view<Space, Vertex const> starts;
  std::int64_t walks_per_start;
  name_walker<Space, Vertex> name;
  std::int64_t batch;
  std::int64_t first_of_batch; // among the walks of all batches
  std::int64_t first;
  array_view<Space, Walker> walkers;
  array_view<Space, walk_move> moves;
  walk_rows<Space, Vertex> out;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const start = starts[(first + i) / walks_per_start];
    auto const walk = first_of_batch + first + i;
    auto& walker = walkers[i];
    walker.draws = unnamed_walk{batch, (first + i) % walks_per_start}.packed();
    walker.home = name.rows.rank;
    walker.walk = static_cast<std::int32_t>(walk);
    walker.step = 0;
    moves[i].visits = 0;
    walker.set_start(start, name.rows.enter(moves[i], start));
    if (name.rows.is_here(moves[i])) {
      name(walker, moves[i].rank);
    }
    out.vertices(walk, 0) = start;
    out.end(walk, 0);
  }
};

/// Three numbers below 2²¹ in one, so that one scan sums all three.
struct move_counts {
  std::int64_t stay;
  std::int64_t leave;
  std::int64_t visits;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t packed() const noexcept {
    return stay | (leave << 21) | (visits << 42);
  }
  [[nodiscard]] static GLT_HOST_DEVICE constexpr move_counts unpacked(std::int64_t bits) noexcept {
    constexpr std::int64_t mask = (std::int64_t{1} << 21) - 1;
    return {bits & mask, (bits >> 21) & mask, bits >> 42};
  }
};

template <memory_space Space>
struct count_moves {
  array_view<Space, walk_move const> moves;
  std::int32_t rank;
  array_view<Space, std::int64_t> counts;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const [to, visits] = moves[i];
    counts[i] = move_counts{to == rank, to != rank && to != walk_move::ended, visits}.packed();
  }
};

/// Distributes walkers and visits to their destinations.
///
/// @shape  walkers, moves, before [n] · visits [n · visits_at_once] · the others written, in sizes given by `before`
template <class Walker, memory_space Space, vertex_id Vertex>
struct distribute_moves {
  array_view<Space, Walker const> walkers;
  array_view<Space, walk_move const> moves;
  array_view<Space, walk_visit<Vertex> const> visits;
  array_view<Space, std::int64_t const> before;
  std::int32_t rank;
  Walker* staying;
  Walker* leaving;
  local_id* leaving_to;
  walk_visit<Vertex>* told;
  local_id* told_to;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const place = move_counts::unpacked(before[i]);
    auto const [to, num_visits] = moves[i];
    if (to == rank) {
      staying[place.stay] = walkers[i];
    } else if (to != walk_move::ended) {
      leaving[place.leave] = walkers[i];
      leaving_to[place.leave] = to;
    }
    for (std::int32_t v = 0; v < num_visits; ++v) {
      told[place.visits + v] = visits[i * visits_at_once + v];
      told_to[place.visits + v] = walkers[i].home;
    }
  }
};

template <class Walker, memory_space Space, vertex_id Vertex>
struct admit_walkers {
  name_walker<Space, Vertex> name;
  Walker* here;
  GLT_HOST_DEVICE void operator()(std::int64_t i, Walker walker) const {
    if (walker.step == 0) {
      name(walker, name.rows.rank);
    }
    here[i] = walker;
  }
};

template <memory_space Space, vertex_id Vertex>
struct admit_visits {
  walk_rows<Space, Vertex> out;
  GLT_HOST_DEVICE void operator()(std::int64_t, walk_visit<Vertex> const& visit) const {
    out.set(visit.walk, visit.step, visit.vertex, visit.edge);
  }
};

} // namespace glt::detail
