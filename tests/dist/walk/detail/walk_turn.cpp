// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/walk_turn.hpp>

#include "support/parts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

using glt::dist::walk_move;

TEST_CASE("walkers are as small as the documented traffic says") {
  static_assert(sizeof(glt::dist::path_walker) == 24 && std::is_trivially_copyable_v<glt::dist::path_walker>);
  static_assert(sizeof(glt::dist::returning_walker) == 32 && std::is_trivially_copyable_v<glt::dist::returning_walker>);
  CHECK(sizeof(glt::dist::walk_place) == 8);
}

TEST_CASE("a turn ends at the border of the part, at the end of the walk, at a dead end, or when it is long") {
  // 0 → 1 → … → 19 → 20, in parts of 12 and 9 vertices; rows are what comes next.
  glt_test::edge_list list{"path", 21, {}, {}};
  for (int v = 0; v < 20; ++v) {
    list.add(v + 1, v);
  }
  std::vector<glt::local_id> parts(21, 0);
  std::fill(parts.begin() + 12, parts.end(), 1);
  auto const whole = glt::make_csr<glt::device::cpu>(list.view());
  auto const names = glt::make_relabelling(glt::host_view<glt::local_id const>(parts), 2);
  auto const second = glt::split_graph<glt::global_id>(whole.view(), names, 1);
  auto const first = glt::split_graph<glt::global_id>(whole.view(), names, 0);
  auto const try_turn = [&](auto const& part, int rank, std::vector<std::int64_t> const& starts, std::int64_t length) {
    glt::dist::owned_rows<glt::memory_space::host, glt::global_id> const rows{part.graph.view(), &part.book};
    using walker = glt::dist::path_walker;
    glt::dist::walk_turn<glt::memory_space::host, glt::global_id, walker> const turn{
        .path = std::span(&rows, 1),
        .rank = rank,
        .key = glt::walk_key({}),
        .original = part.original.view(),
        .length = length,
        .return_below = 0};
    std::vector<walker> walkers;
    for (auto const start : starts) {
      walkers.push_back(turn.set_off(start, rank, 0, 0, 0));
      turn.name(walkers.back());
      CHECK(walkers.back().name == glt::walk_draws(glt::walk_key({}), 0, start).bits());
    }
    std::vector<walk_move> moves(starts.size());
    std::vector<glt::dist::walk_visit<glt::global_id>> visits(starts.size() * glt::dist::steps_of_turn);
    turn(walkers, moves, visits);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      CHECK(walkers[i].step == moves[i].steps);
      for (int s = 0; s < moves[i].steps; ++s) {
        CHECK(visits[i * glt::dist::steps_of_turn + static_cast<std::size_t>(s)].vertex == starts[i] + s + 1);
      }
    }
    return moves;
  };
  auto const moves = try_turn(first, 0, {0, 4, 9, 11}, 100);
  CHECK(moves[0].rank == 0); // could go on
  CHECK(moves[0].steps == 8);
  CHECK(moves[1].rank == 1); // crossed with its last step
  CHECK(moves[1].steps == 8);
  CHECK(moves[2].rank == 1);
  CHECK(moves[2].steps == 3);
  CHECK(moves[3].rank == 1);
  CHECK(moves[3].steps == 1);
  auto const short_moves = try_turn(first, 0, {0, 10}, 2);
  CHECK(short_moves[0].rank == walk_move::ended);
  CHECK(short_moves[0].steps == 2);
  CHECK(short_moves[1].rank == walk_move::ended); // in the other part, where it need not go
  auto const dead_ends = try_turn(second, 1, {12, 13, 20}, 100);
  CHECK(dead_ends[0].rank == 1);
  CHECK(dead_ends[1].rank == walk_move::ended);
  CHECK(dead_ends[1].steps == 7);
  CHECK(dead_ends[2].rank == walk_move::ended);
  CHECK(dead_ends[2].steps == 0);
}
