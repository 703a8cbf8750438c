// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/part_walkers.hpp>

#include <glt/sample/walk/detail/node2vec_step.hpp>
#include <glt/sample/walk/detail/path_step.hpp>
#include <glt/sample/walk/detail/walk_kernel.hpp>

#include "support/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

using glt::memory_space;
using glt::detail::visits_at_once;
using glt::detail::walk_move;

namespace {

using rows = glt::detail::part_rows<memory_space::host, glt::global_id>;
using path_walker = glt::detail::path_walker<>;
using second_order_walker = glt::detail::second_order_walker<>;

struct parts_of_graph {
  glt::csr_graph<glt::device::cpu> whole;
  glt::relabelling names;

  parts_of_graph(glt_test::edge_list const& list, std::vector<glt::local_id> const& parts)
      : whole(glt::make_csr<glt::device::cpu>(list.view())),
        names(glt::make_relabelling(glt::host_view<glt::local_id const>(parts), 2)) {}
  auto part(int rank) const { return glt::split_graph<glt::global_id>(whole.view(), names, rank); }
};

auto rows_of(auto const& part, glt::host_view<glt::global_id const> offsets) {
  struct borrowed {
    glt::host_view<glt::global_id const> offsets;
    auto view() const { return offsets; }
  };
  return glt::detail::make_part_rows(part.graph.view(), part.part, part.book, borrowed{offsets});
}

struct outcome {
  std::vector<walk_move> moves;
  std::vector<glt::detail::walk_visit<glt::global_id>> visits;
};

// Walkers that are not at home, or, with `home` being the rank, at home.
template <class Walker, class Step>
outcome move(Step const& step, std::vector<Walker>& walkers, int rank, std::int32_t length) {
  outcome made{std::vector<walk_move>(walkers.size()),
               std::vector<glt::detail::walk_visit<glt::global_id>>(walkers.size() * visits_at_once)};
  glt::detail::move_walkers(glt::device::cpu(), std::ssize(walkers), step,
                            glt::detail::part_walkers<Walker, memory_space::host, glt::global_id>{
                                walkers, made.moves, made.visits, rank, length, true, {}});
  return made;
}

} // namespace

TEST_CASE("walkers are as small as the documented traffic says") {
  using returning_walker = glt::detail::returning_walker<>;
  static_assert(sizeof(path_walker) == 24 && std::is_trivially_copyable_v<path_walker>);
  static_assert(sizeof(returning_walker) == 32 && std::is_trivially_copyable_v<returning_walker>);
  static_assert(sizeof(second_order_walker) == 56 && std::is_trivially_copyable_v<second_order_walker>);
  CHECK(sizeof(glt::detail::walk_visit<glt::local_id>) == 24);
}

TEST_CASE("walkers stop at the border of the part, at the end of the walk, at a dead end, or with enough to tell") {
  // 0 → 1 → … → 19 → 20, in parts of 12 and 9 vertices; rows are what comes next.
  glt_test::edge_list list{"path", 21, {}, {}};
  for (int v = 0; v < 20; ++v) {
    list.add(v + 1, v);
  }
  std::vector<glt::local_id> numbers(21, 0);
  std::fill(numbers.begin() + 12, numbers.end(), 1);
  parts_of_graph const parts(list, numbers);
  auto const try_moves = [&](int rank, std::vector<std::int64_t> const& starts, std::int32_t length) {
    auto const part = parts.part(rank);
    glt::detail::path_step<glt::detail::one_relation<rows>> const step{{rows_of(part, part.book.offsets())}};
    std::vector<path_walker> walkers;
    for (auto const start : starts) {
      walkers.push_back({.draws = glt::detail::walk_draws(glt::detail::walk_key({}), 0, start),
                         .row = static_cast<glt::local_id>(start - part.book.begin(rank)),
                         .home = 7,
                         .walk = 5,
                         .step = 0});
    }
    auto const made = move(step, walkers, rank, length);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      for (std::int32_t v = 0; v < made.moves[i].visits; ++v) {
        auto const& visit = made.visits[i * visits_at_once + static_cast<std::size_t>(v)];
        CHECK(visit.vertex == starts[i] + v + 1);
        CHECK(visit.edge == starts[i] + v);
        CHECK(visit.walk == 5);
        CHECK(visit.step == v + 1);
      }
      if (made.moves[i].rank != walk_move::ended) {
        CHECK(walkers[i].step == made.moves[i].visits);
        auto const owner = part.book.owner(starts[i] + walkers[i].step);
        CHECK(walkers[i].row == starts[i] + walkers[i].step - part.book.begin(owner));
        CHECK(owner == made.moves[i].rank);
      }
    }
    return made.moves;
  };
  auto const moves = try_moves(0, {0, 4, 9, 11}, 100);
  CHECK(moves[0].rank == 0); // could go on
  CHECK(moves[0].visits == 8);
  CHECK(moves[1].rank == 1); // crossed with its last step
  CHECK(moves[1].visits == 8);
  CHECK(moves[2].rank == 1);
  CHECK(moves[2].visits == 3);
  CHECK(moves[3].rank == 1);
  CHECK(moves[3].visits == 1);
  auto const short_moves = try_moves(0, {0, 10}, 2);
  CHECK(short_moves[0].rank == walk_move::ended);
  CHECK(short_moves[0].visits == 2);
  CHECK(short_moves[1].rank == walk_move::ended); // in the other part, where it need not go
  auto const dead_ends = try_moves(1, {12, 13, 20}, 100);
  CHECK(dead_ends[0].rank == 1);
  CHECK(dead_ends[1].rank == walk_move::ended);
  CHECK(dead_ends[1].visits == 7);
  CHECK(dead_ends[2].rank == walk_move::ended);
  CHECK(dead_ends[2].visits == 0);
}

TEST_CASE("a candidate that its number does not decide on goes to the owner of the vertex before") {
  // Everybody is a neighbour of everybody; 0 to 2 are in part 0, 3 to 5 in part 1.
  glt_test::edge_list complete{"complete", 6, {}, {}};
  for (int v = 0; v < 36; ++v) {
    complete.add(v % 6, v / 6);
  }
  parts_of_graph const parts(complete, {0, 0, 0, 1, 1, 1});
  auto const part = parts.part(0);
  glt::node2vec_options const options{.length = 100, .p = 1, .q = 4}; // neighbours 1, others 1/4
  glt::detail::node2vec_step<rows> const step{rows_of(part, part.book.offsets()), true,
                                              glt::detail::node2vec_choice(options)};
  std::int64_t asked = 0;
  std::int64_t crossed = 0;
  for (std::int64_t number = 0; number < 300; ++number) {
    std::vector<second_order_walker> walkers(1);
    auto& walker = walkers[0];
    walker.set_start(1, 1);
    walker.draws = glt::detail::walk_draws(glt::detail::walk_key({}), number, 1);
    walker.home = 1;
    walker.previous = 4; // came from the other part
    walker.step = 1;
    auto const made = move(step, walkers, 0, 100);
    if (walker.candidate >= 0) {
      CHECK(made.moves[0].rank == 1);
      CHECK(made.moves[0].visits == 0); // later ones came from this part
      CHECK(walker.at == 1);
      CHECK(walker.edge == 6 + walker.candidate);
      ++asked;
      // There it is judged, and told of with the edge that it brought.
      auto const other = parts.part(1);
      glt::detail::node2vec_step<rows> const there{rows_of(other, other.book.offsets()), true,
                                                   glt::detail::node2vec_choice(options)};
      auto const candidate = walker.candidate;
      walker.home = 0;
      auto const judged = move(there, walkers, 1, 2);
      REQUIRE(judged.moves[0].visits == 1); // everybody is a neighbour
      CHECK(judged.visits[0].vertex == candidate);
      CHECK(judged.visits[0].edge == 6 + candidate);
    } else {
      CHECK(made.moves[0].visits > 0);
      CHECK(walker.attempt == 0);
      crossed += made.moves[0].rank == 1 ? 1 : 0;
      CHECK((made.moves[0].rank == 1) == (walker.at >= 3));
    }
  }
  // 5 of 6 candidates are not the vertex before, and 3 of 4 numbers lie above 1/4.
  CHECK(asked > 300 * 5 / 8 - 40);
  CHECK(asked < 300 * 5 / 8 + 40);
  CHECK(crossed > 50);
}
