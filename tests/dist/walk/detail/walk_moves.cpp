// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/walk_moves.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::memory_space;
using glt::detail::move_counts;
using glt::detail::walk_move;

TEST_CASE("three counts add up in one number") {
  constexpr std::int64_t most = 1 << 17;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < most; ++i) {
    sum += move_counts{1, 0, 8}.packed();
  }
  CHECK(move_counts::unpacked(sum).stay == most);
  CHECK(move_counts::unpacked(sum).leave == 0);
  CHECK(move_counts::unpacked(sum).visits == 8 * most);
  auto const other = move_counts::unpacked(move_counts{0, most, 3}.packed() + move_counts{5, 0, 4}.packed());
  CHECK(other.stay == 5);
  CHECK(other.leave == most);
  CHECK(other.visits == 7);
}

TEST_CASE("walkers and visits go where the moves say, in their order") {
  struct walker {
    std::int32_t number;
    std::int32_t home;
  };
  using visit = glt::detail::walk_visit<glt::local_id>;
  std::vector<walker> const walkers{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
  std::vector<walk_move> const moves{{7, 1}, {2, 2}, {walk_move::ended, 1}, {7, 0}, {3, 8}};
  std::vector<visit> visits(walkers.size() * glt::detail::visits_at_once);
  for (std::size_t v = 0; v < visits.size(); ++v) {
    visits[v].step = static_cast<std::int32_t>(v);
  }
  std::vector<std::int64_t> before(walkers.size() + 1, 0);
  glt::detail::count_moves<memory_space::host> const count{moves, 7, before};
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < walkers.size(); ++i) {
    count(static_cast<std::int64_t>(i));
    auto const counted = before[i];
    before[i] = sum;
    sum += counted;
  }
  auto const total = move_counts::unpacked(sum);
  REQUIRE(total.stay == 2);
  REQUIRE(total.leave == 2);
  REQUIRE(total.visits == 12);
  std::vector<walker> staying(2);
  std::vector<walker> leaving(2);
  std::vector<glt::local_id> leaving_to(2);
  std::vector<visit> told(12);
  std::vector<glt::local_id> told_to(12);
  glt::detail::distribute_moves<walker, memory_space::host, glt::local_id> const distribute{
      walkers,           moves,       visits,        before, 7, staying.data(), leaving.data(),
      leaving_to.data(), told.data(), told_to.data()};
  for (std::int64_t i = 0; i < std::ssize(walkers); ++i) {
    distribute(i);
  }
  CHECK(staying[0].number == 0);
  CHECK(staying[1].number == 3);
  CHECK(leaving[0].number == 1);
  CHECK(leaving[1].number == 4);
  CHECK(leaving_to == std::vector<glt::local_id>{2, 3});
  CHECK(told_to == std::vector<glt::local_id>{1, 2, 2, 3, 5, 5, 5, 5, 5, 5, 5, 5});
  std::vector<std::int32_t> steps;
  for (auto const& it : told) {
    steps.push_back(it.step);
  }
  CHECK(steps == std::vector<std::int32_t>{0, 8, 9, 16, 32, 33, 34, 35, 36, 37, 38, 39});
}
