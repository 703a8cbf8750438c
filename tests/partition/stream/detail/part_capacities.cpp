// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/partition/detail/part_capacities.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::size_t take_smallest(detail::part_capacities& room, std::int64_t vertex) {
  room.weigh(vertex);
  auto const part = room.smallest();
  room.add(part);
  return part;
}

} // namespace

TEST_CASE("without limits the parts are filled in turn") {
  detail::part_capacities room(2, {}, 6, 3);
  std::vector<std::size_t> parts;
  for (std::int64_t v = 0; v < 6; ++v) {
    CHECK(room.has_capacity(2));
    parts.push_back(take_smallest(room, v));
  }
  CHECK(parts == std::vector<std::size_t>{0, 1, 2, 0, 1, 2});
  CHECK(!room.has_capacity(0));
  room.clear();
  CHECK(room.has_capacity(0));
  CHECK(room.sizes()[0] == 0);
}

TEST_CASE("a full smallest part is passed over, and the least exceeded one takes what fits nowhere") {
  // Capacities: 3 vertices and a weight of 10 a part.
  std::vector<std::int32_t> const weights{9, 1, 1, 6, 3};
  detail::part_capacities room(3, {balance_limit::weights("cost", host_view<std::int32_t const>(weights), 0)}, 5, 2);
  CHECK(take_smallest(room, 0) == 0);
  CHECK(take_smallest(room, 1) == 1);
  CHECK(take_smallest(room, 2) == 0); // now full by weight
  room.weigh(4);
  CHECK(!room.has_capacity(0));
  CHECK(take_smallest(room, 3) == 1);
  CHECK(take_smallest(room, 4) == 1); // 1 + 6 + 3 = 10
  room.weigh(3);
  CHECK(!room.has_capacity(0));
  CHECK(!room.has_capacity(1));
  CHECK(room.smallest() == 0); // 16 / 10 in both; 3 / 3 vertices against 4 / 3
}

TEST_CASE("wrong limits and numbers of vertices are refused") {
  CHECK(
      names(thrown<precondition_error>([] { detail::part_capacities(3, {balance_limit::vertices(-1)}, 5, 2); }), "-1"));
}
