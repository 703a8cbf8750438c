// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/detail/hot_edges.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

using glt::detail::heat_classes;

TEST_CASE("rows are hotter the more heat they have for each byte, and rows without heat have no class") {
  CHECK(heat_classes::of(0, 8) == heat_classes::count);
  CHECK(heat_classes::of(1, 100) < heat_classes::of(0.5, 100));
  CHECK(heat_classes::of(1, 100) < heat_classes::of(1, 200));
  CHECK(heat_classes::of(1, 100) - heat_classes::of(1, 50) == 32);
  CHECK(heat_classes::of(1e300, 1) == 0);
  CHECK(heat_classes::of(1e-300, 1 << 20) == heat_classes::count - 1);
}

TEST_CASE("a budget is filled from the hottest class on, and ranks share the last class") {
  std::vector<std::int64_t> offered(2 * heat_classes::count, 0); // of two ranks
  auto const of = [&](std::int64_t rank, std::int64_t c) -> std::int64_t& {
    return offered[static_cast<std::size_t>(rank * heat_classes::count + c)];
  };
  of(0, 3) = 100;
  of(1, 3) = 20;
  of(0, 700) = 300;
  of(1, 700) = 100;
  auto const all = heat_classes::fill(offered, 520);
  CHECK(all.last == heat_classes::count);
  CHECK(all.bytes == std::vector<std::int64_t>{0, 0});
  auto const some = heat_classes::fill(offered, 160);
  CHECK(some.last == 700);
  CHECK(some.bytes == std::vector<std::int64_t>{30, 10});
  auto const none = heat_classes::fill(offered, 0);
  CHECK(none.last == 3);
  CHECK(std::accumulate(none.bytes.begin(), none.bytes.end(), std::int64_t{0}) == 0);
}
