// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/node2vec_walk_turn.hpp>

#include "support/parts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

TEST_CASE("a candidate that its number does not decide on goes to the owner of the vertex before") {
  static_assert(sizeof(glt::dist::node2vec_wanderer) == 56 &&
                std::is_trivially_copyable_v<glt::dist::node2vec_wanderer>);
  // Everybody is a neighbour of everybody; 0 to 2 are in part 0, 3 to 5 in part 1.
  auto const list = [] {
    glt_test::edge_list complete{"complete", 6, {}, {}};
    for (int v = 0; v < 36; ++v) {
      complete.add(v % 6, v / 6);
    }
    return complete;
  }();
  std::vector<glt::local_id> parts{0, 0, 0, 1, 1, 1};
  auto const whole = glt::make_csr<glt::device::cpu>(list.view());
  auto const names = glt::make_relabelling(glt::host_view<glt::local_id const>(parts), 2);
  auto const part = glt::split_graph<glt::global_id>(whole.view(), names, 0);
  glt::node2vec_options const options{.length = 100, .p = 1, .q = 4}; // neighbours 1, others 1/4
  glt::dist::node2vec_walk_turn<glt::memory_space::host, glt::global_id> const turn{
      .edges = {part.graph.view(), true},
      .book = &part.book,
      .rank = 0,
      .key = glt::walk_key({}),
      .original = part.original.view(),
      .length = options.length,
      .choice = glt::detail::node2vec_choice(options)};
  std::int64_t asked = 0;
  std::int64_t crossed = 0;
  for (std::int64_t number = 0; number < 300; ++number) {
    std::vector<glt::dist::node2vec_wanderer> walker{turn.set_off(1, 0, number, 0, 0)};
    turn.name(walker[0]);
    walker[0].previous = 4; // came from the other part
    walker[0].step = 1;
    std::vector<glt::dist::walk_move> move(1);
    std::vector<glt::dist::walk_visit<glt::global_id>> visits(glt::dist::steps_of_turn);
    turn(walker, move, visits);
    if (walker[0].candidate >= 0) {
      CHECK(move[0].rank == 1);
      CHECK(move[0].steps == 0); // later ones came from this part
      CHECK(walker[0].at == 1);
      ++asked;
    } else {
      CHECK(move[0].steps > 0);
      CHECK(walker[0].attempt == 0);
      crossed += move[0].rank == 1 ? 1 : 0;
      CHECK((move[0].rank == 1) == (walker[0].at >= 3));
    }
  }
  // 5 of 6 candidates are not the vertex before, and 3 of 4 numbers lie above 1/4.
  CHECK(asked > 300 * 5 / 8 - 40);
  CHECK(asked < 300 * 5 / 8 + 40);
  CHECK(crossed > 50);
}
