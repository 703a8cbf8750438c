// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

using glt::device::cpu;
using table = glt::detail::id_table<cpu>;

static_assert(!std::is_copy_constructible_v<table> && std::is_nothrow_move_constructible_v<table>);

TEST_CASE("ids are found at their places, and no others are found") {
  for (std::size_t const count : {0U, 1U, 2U, 3U, 1000U, 5000U}) {
    glt::random_stream draws(glt::random_key(1), count);
    std::set<std::int64_t> drawn;
    while (drawn.size() < count) { // ids that differ in their upper halves alone, too
      drawn.insert(static_cast<std::int64_t>(draws.below(2000) + (draws.below(3) << 32)));
    }
    std::vector<std::int64_t> const ids(drawn.rbegin(), drawn.rend());
    table made(glt::make_buffer<cpu>(ids));
    auto const moved = std::move(made);
    CHECK(moved.size() == static_cast<std::int64_t>(count));
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wrong += moved.find(ids[i]) == static_cast<std::int64_t>(i) ? 0 : 1;
    }
    std::vector<std::int64_t> asked{-1, std::int64_t{1} << 62};
    for (int i = 0; i < 3000; ++i) {
      asked.push_back(static_cast<std::int64_t>(draws.below(2100) + (draws.below(4) << 32)));
    }
    std::int64_t next = 0;
    moved.find_all(
        3002, [&](std::int64_t i) { return asked[static_cast<std::size_t>(i)]; },
        [&](std::int64_t i, std::int64_t place) {
          wrong += i == next++ ? 0 : 1;
          auto const id = asked[static_cast<std::size_t>(i)];
          bool const is_right = place < 0 ? !drawn.contains(id) : moved.ids()[place] == id;
          wrong += is_right ? 0 : 1;
        });
    CHECK(next == 3002);
    CHECK(wrong == 0);
  }
  CHECK(table{}.find(0) == -1);
}

TEST_CASE("ids that follow each other and ids far apart are found as well") {
  for (std::int64_t const stride : {std::int64_t{1}, std::int64_t{1024}, std::int64_t{1} << 40}) {
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < 3000; ++i) {
      ids.push_back(i * stride);
    }
    table const made(glt::make_buffer<cpu>(ids));
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 3000; ++i) {
      wrong += made.find(i * stride) == i ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(made.find(3000 * stride) == -1);
  }
}

TEST_CASE("an id that is negative or comes twice is refused with its place") {
  auto const complaint = [](std::vector<std::int64_t> const& ids) {
    return glt_test::thrown<glt::precondition_error>([&] { table(glt::make_buffer<cpu>(ids), "edge"); });
  };
  CHECK(glt_test::names(complaint({5, 6, 5}), "edge 2 is 5", "place 0"));
  CHECK(glt_test::names(complaint({5, -6}), "edge 1 is -6", "0 or more"));
  CHECK(glt_test::names(complaint({-6}), "edge 0 is -6"));
}

TEST_CASE("memory is 20 to 32 bytes an id") {
  CHECK(table::bytes_of(0) == 0);
  for (std::int64_t const count : {10, 1000, 1'000'003}) {
    CHECK(table::bytes_of(count) >= 20 * count);
    CHECK(table::bytes_of(count) <= 32 * count);
  }
}
