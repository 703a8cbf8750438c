// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/hot_vertices.hpp>

#include <glt/core/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using glt::global_id;
using glt::io::detail::hottest_so_far;

TEST_CASE("of vertices that are as hot the lower ones are kept, and none if none is wanted") {
  hottest_so_far three(3);
  for (auto const& [vertex, heat] : {std::pair{7, 0.5}, std::pair{2, 0.25}, std::pair{9, 0.25}, std::pair{1, 0.25},
                                     std::pair{8, 0.75}, std::pair{0, 0.1}, std::pair{3, 0.25}}) {
    three.offer(vertex, heat);
  }
  CHECK(std::move(three).take() == std::vector<global_id>{8, 7, 1});
  hottest_so_far none(0);
  none.offer(4, 1);
  CHECK(std::move(none).take().empty());
}

TEST_CASE("what is kept are the first of all in order") {
  glt::random_stream draws(glt::random_key(5), 0);
  for (std::size_t const count : {0, 1, 13, 200}) {
    std::vector<std::pair<double, global_id>> all; // descending heat is ascending here
    for (std::size_t v = 0; v < count; ++v) {
      all.emplace_back(-static_cast<double>(draws.below(20)), static_cast<global_id>(v * 7 % 201));
    }
    for (std::int64_t const most : {1, 5, 200, 300}) {
      hottest_so_far kept(most);
      for (auto const& [cold, vertex] : all) {
        kept.offer(vertex, -cold);
      }
      auto sorted = all;
      std::ranges::sort(sorted);
      sorted.resize(std::min(sorted.size(), static_cast<std::size_t>(most)));
      std::vector<global_id> expected;
      for (auto const& [cold, vertex] : sorted) {
        expected.push_back(vertex);
      }
      CHECK(std::move(kept).take() == expected);
    }
  }
}
