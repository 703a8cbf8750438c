// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/edge_shuffle.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using glt::global_id;

TEST_CASE("edges into every vertex are counted over all ranks, by the rows that vertices get") {
  std::vector<global_id> const sources{0, 1, 2, 2, 0, 6};
  std::vector<global_id> const destinations{1, 1, 0, 3, 3, 3};
  glt_test::on_ranks([&](auto comm) {
    auto const reversed = [](global_id vertex) { return 3 - vertex; };
    CHECK(glt::io::detail::count_in_edges(comm, {sources, destinations}, {sources, destinations, 7, 4}, reversed) ==
          std::vector<std::int64_t>{3, 0, 2, 1});
    CHECK(glt::io::detail::count_in_edges(comm, {}, {{}, {}, 0, 2}, reversed) == std::vector<std::int64_t>{0, 0});
  });
}

TEST_CASE("an edge list that is none is refused on every rank") {
  std::vector<global_id> const sources{0, 1, 5};
  std::vector<float> const weights{1, 2};
  glt_test::on_ranks([&](auto comm) {
    auto const refused = [&](std::vector<global_id> const& destinations, std::int64_t num_sources = 6,
                             glt::host_view<float const> values = {}) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(glt::io::detail::count_in_edges(comm, {sources, destinations, values},
                                                          {sources, destinations, num_sources, 3, " of type (a, b, c)"},
                                                          [](global_id v) { return v; }));
      });
    };
    CHECK(glt_test::names(refused({0, 1, 3}), "destination of edge 2 of type (a, b, c) is 3", "[0, 3)"));
    CHECK(glt_test::names(refused({0, -1, 0}), "destination of edge 1 of type (a, b, c) is -1"));
    CHECK(glt_test::names(refused({0, 1, 1}, 5), "source of edge 2 of type (a, b, c) is 5", "[0, 5)"));
    CHECK(glt_test::names(refused({0, 1}), "3 sources and 2 destinations", "(a, b, c)"));
    CHECK(glt_test::names(refused({0, 1, 1}, 6, weights), "2 weights or times for 3 edges", "(a, b, c)"));
  });
}

TEST_CASE("edges go to the ranks of their rows as they are to arrive, whatever the size of a round") {
  glt_test::scratch_folder const scratch;
  std::int64_t const num_edges = 100;
  std::vector<global_id> sources;
  std::vector<global_id> destinations;
  for (std::int64_t e = 0; e < num_edges; ++e) {
    sources.push_back(e % 13);
    destinations.push_back(e * 7 % 20);
  }
  auto const edge_at = [](std::int64_t e) {
    return glt::io::detail::moving_edge{.row = e * 7 % 20, .column = e % 13, .id = e + 1000};
  };
  for (std::int64_t const memory : {0, 5000, 1 << 20}) {
    glt_test::on_ranks([&](auto comm) {
      auto const rows = glt::io::detail::slice_of(20, comm.size(), comm.rank());
      auto const folder = scratch / std::to_string(comm.rank());
      std::filesystem::create_directories(folder);
      glt::io::detail::edge_spill spill(folder, {rows.first, rows.last}, memory / 8);
      auto const rank_of_row = [&](global_id row) {
        int rank = 0;
        while (row >= glt::io::detail::slice_of(20, comm.size(), rank).last) {
          ++rank;
        }
        return rank;
      };
      auto const make_edge = [](std::int64_t e, global_id source, global_id destination) {
        return glt::io::detail::moving_edge{.row = destination, .column = source, .id = e + 1000};
      };
      glt::io::detail::spill_edges(comm, {sources, destinations, 13, 20}, make_edge, {.for_edges = memory}, {},
                                   rank_of_row, spill);
      auto const taken = spill.take(0);
      auto const own = glt::io::detail::compress_range(taken.view(), rows.first, rows.last);
      std::int64_t next = 0;
      for (auto row = rows.first; row < rows.last; ++row) {
        for (std::int64_t e = 0; e < num_edges; ++e) {
          if (auto const edge = edge_at(e); edge.row == row) {
            REQUIRE(next < own.ids.size());
            CHECK(own.columns[next] == edge.column);
            CHECK(own.ids[next++] == edge.id);
          }
        }
        CHECK(own.offsets[row - rows.first + 1] == next);
      }
      CHECK(next == own.ids.size());
    });
  }
}

TEST_CASE("ranges of rows have few edges and not many more rows, or one row") {
  std::vector<global_id> bounds;
  glt::io::detail::append_bounds({9, 1, 1, 1, 7, 0, 0, 2}, 0, 8, 3, bounds);
  CHECK(bounds == std::vector<global_id>{0, 1, 4, 5});
  glt::io::detail::append_bounds({9, 1, 1, 1, 7, 0, 0, 2}, 2, 4, 1, bounds);
  CHECK(bounds == std::vector<global_id>{0, 1, 4, 5, 2, 3});
  bounds.clear();
  glt::io::detail::append_bounds({0, 0, 0, 0, 0, 1, 0, 0, 0}, 0, 9, 2, bounds);
  CHECK(bounds == std::vector<global_id>{0, 4, 8});
  bounds.clear();
  glt::io::detail::append_bounds({0, 3, 0}, 0, 3, 0, bounds);
  CHECK(bounds == std::vector<global_id>{0, 1, 2});
}
