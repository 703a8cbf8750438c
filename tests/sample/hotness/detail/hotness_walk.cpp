// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/hotness/detail/hotness_walk.hpp>

#include "support/graphs.hpp"

#include <cstdint>

using glt::device::cpu;

TEST_CASE("the probability of a draw is that of the options") {
  CHECK(glt::detail::draw_probability(7, {.fanout = -1}) == 1);
  CHECK(glt::detail::draw_probability(7, {.fanout = 7}) == 1);
  CHECK(glt::detail::draw_probability(7, {.fanout = 9}) == 1);
  CHECK(glt::detail::draw_probability(8, {.fanout = 2}) == 0.25);
  CHECK(glt::detail::draw_probability(0, {.fanout = 2, .replace = true}) == 0);
  CHECK(glt::detail::draw_probability(1, {.fanout = 2, .replace = true}) == 1);
  CHECK(glt::detail::draw_probability(4, {.fanout = 2, .replace = true}) == doctest::Approx(1 - 0.75 * 0.75));
}

TEST_CASE("the probability of a seed is that of drawing places without replacement") {
  CHECK(glt::detail::seed_probability(0, 10, 4) == 0);
  CHECK(glt::detail::seed_probability(1, 10, 4) == doctest::Approx(0.4));
  CHECK(glt::detail::seed_probability(2, 10, 4) == doctest::Approx(1 - 0.6 * 5 / 9));
  CHECK(glt::detail::seed_probability(7, 10, 4) == 1);
  CHECK(glt::detail::seed_probability(1, 10, 10) == 1);
  CHECK(glt::detail::seed_probability(1, 10, 99) == 1);
}

TEST_CASE("a walk keeps sums of sources elsewhere behind those of its rows") {
  glt_test::edge_list list{"elsewhere", 5, {4, 3, 3}, {0, 0, 1}};
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::csr_view<glt::memory_space::host> const rows(5, graph.view().offsets().subview(0, 3), graph.view().sources());
  struct one_less {
    std::int64_t operator()(std::int64_t vertex) const { return vertex - 1; }
  };
  glt::detail::hotness_walk<cpu> walk(2, 2, {});
  walk.add_seed(0);
  walk.add_seed(1);
  walk.start(2, 1);
  walk.spread(rows, {.fanout = 1}, one_less{});
  REQUIRE(walk.sums().size() == 4);
  CHECK(walk.sums()[0] == 0);
  CHECK(walk.sums()[1] == 0);
  CHECK(walk.sums()[3] == glt::detail::log_miss_of(0.25));
  CHECK(walk.sums()[2] == glt::detail::log_miss_of(0.25) + glt::detail::log_miss_of(0.5));
}
