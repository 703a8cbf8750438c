// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/exclusions.hpp>

#include "support/graphs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using exclusions = glt::detail::exclusions_view<glt::memory_space::host>;

TEST_CASE("a view of nothing excludes nothing") {
  CHECK(exclusions{}.of(5).empty());
}

TEST_CASE("a row is found by its own number, however full the filter is") {
  std::vector<std::int64_t> const rows{2, 3, 900, std::int64_t{1} << 33};
  std::vector<glt::edge_offset> const offsets{0, 1, 1, 3, 4};
  std::vector<glt::edge_offset> const positions{7, 0, 5, 2};
  std::vector<std::uint64_t> full(4, ~std::uint64_t{0});
  std::vector<std::uint64_t> exact(4, 0);
  for (auto const row : rows) {
    exact[static_cast<std::size_t>(exclusions::word(row, 4))] |= std::uint64_t{1} << exclusions::bit(row);
  }
  for (auto const* filter : {&full, &exact}) {
    exclusions const view{*filter, rows, offsets, positions};
    CHECK(glt_test::to_vector(view.of(2)) == std::vector<glt::edge_offset>{7});
    CHECK(view.of(3).empty());
    CHECK(glt_test::to_vector(view.of(900)) == std::vector<glt::edge_offset>{0, 5});
    CHECK(glt_test::to_vector(view.of(std::int64_t{1} << 33)) == std::vector<glt::edge_offset>{2});
    for (std::int64_t const other : {0, 1, 4, 899, 901}) {
      CHECK(view.of(other).empty());
    }
    CHECK(view.of(std::int64_t{1} << 40).empty());
  }
}

TEST_CASE("the filter spreads rows over all its bits") {
  std::vector<std::int64_t> hits(64 * 64, 0);
  for (std::int64_t row = 0; row < 64 * 64 * 4; ++row) {
    ++hits[static_cast<std::size_t>(64 * exclusions::word(row, 64) + exclusions::bit(row))];
  }
  std::int64_t unused = 0;
  for (auto const count : hits) {
    unused += count == 0 ? 1 : 0;
  }
  CHECK(unused < 64 * 64 / 10);
}
