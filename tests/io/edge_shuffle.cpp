// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/edge_shuffle.hpp>

#include "../support/errors.hpp"
#include "../support/ranks.hpp"

#include <cstdint>
#include <vector>

using glt::global_id;

TEST_CASE("edges into every vertex are counted over all ranks, by the rows that vertices get") {
  std::vector<global_id> const sources{0, 1, 2, 2, 0, 3};
  std::vector<global_id> const destinations{1, 1, 0, 3, 3, 3};
  glt_test::on_ranks([&](auto comm) {
    auto const reversed = [](global_id vertex) { return 3 - vertex; };
    CHECK(glt::io::count_in_edges(comm, {sources, destinations}, 4, reversed) == std::vector<std::int64_t>{3, 0, 2, 1});
    CHECK(glt::io::count_in_edges(comm, {}, 2, reversed) == std::vector<std::int64_t>{0, 0});
  });
}

TEST_CASE("an edge list that is none is refused on every rank") {
  std::vector<global_id> const sources{0, 1, 2};
  glt_test::on_ranks([&](auto comm) {
    auto const refused = [&](std::vector<global_id> const& destinations) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(glt::io::count_in_edges(comm, {sources, destinations}, 3, [](global_id v) { return v; }));
      });
    };
    CHECK(glt_test::names(refused({0, 1, 3}), "destination of edge 2 is 3", "[0, 3)"));
    CHECK(glt_test::names(refused({0, -1, 0}), "destination of edge 1 is -1"));
    CHECK(glt_test::names(refused({0, 1}), "3 sources and 2 destinations"));
  });
}

TEST_CASE("ranges of rows have few edges, or one row") {
  std::vector<global_id> bounds;
  glt::io::append_bounds({9, 1, 1, 1, 7, 0, 0, 2}, 0, 8, 3, bounds);
  CHECK(bounds == std::vector<global_id>{0, 1, 4, 5});
  glt::io::append_bounds({9, 1, 1, 1, 7, 0, 0, 2}, 2, 4, 1, bounds);
  CHECK(bounds == std::vector<global_id>{0, 1, 4, 5, 2, 3});
}
