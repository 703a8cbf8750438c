// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/edge_shuffle.hpp>

#include <glt/core/random.hpp>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <tuple>
#include <vector>

using glt::io::detail::moving_edge;
using glt_test::names;
using glt_test::thrown;

namespace {

bool operator==(moving_edge const& a, moving_edge const& b) {
  return a.row == b.row && a.column == b.column && a.id == b.id;
}

std::vector<moving_edge> random_edges(std::int64_t count, std::int64_t rows, std::uint64_t seed) {
  glt::random_stream draws(glt::random_key(seed), 0);
  std::vector<moving_edge> edges;
  for (std::int64_t i = 0; i < count; ++i) {
    auto const draw = [&] { return static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(rows))); };
    edges.push_back({draw(), draw(), i});
  }
  return edges;
}

} // namespace

TEST_CASE("edges come back range by range in the order in which they went") {
  glt_test::scratch_folder const scratch;
  for (std::int64_t const count : {0, 1, 63, 64, 5000}) {
    for (std::int64_t const memory : {0, 4096, 1 << 20}) {
      auto const edges = random_edges(count, 30, 7);
      glt::io::detail::edge_spill spill(scratch.path(), {0, 1, 1, 17, 30}, memory);
      for (auto const& edge : edges) {
        spill.add(edge);
      }
      CHECK(std::filesystem::is_empty(scratch.path()) == (count < 5000 || memory == 1 << 20));
      for (int range = 0; range < spill.num_ranges(); ++range) {
        std::vector<moving_edge> expected;
        std::ranges::copy_if(edges, std::back_inserter(expected), [&](moving_edge const& edge) {
          return edge.row >= spill.begin(range) && edge.row < spill.end(range);
        });
        auto const taken = spill.take(range);
        CHECK(std::ranges::equal(taken, expected, [](auto const& a, auto const& b) { return a == b; }));
        CHECK(spill.take(range).empty());
      }
      CHECK(std::filesystem::is_empty(scratch.path()));
    }
  }
}

TEST_CASE("a spill leaves no files, and refuses rows of nobody") {
  glt_test::scratch_folder const scratch;
  {
    glt::io::detail::edge_spill spill(scratch.path(), {5, 8}, 0);
    for (auto const row : {4, 8}) {
      CHECK(names(thrown<glt::precondition_error>([&] { spill.add({row, 0, 3}); }), "edge 3", "outside [5, 8)"));
    }
    for (int i = 0; i < 200; ++i) {
      spill.add({6, 0, i});
    }
    CHECK(!std::filesystem::is_empty(scratch.path()));
  }
  CHECK(std::filesystem::is_empty(scratch.path()));
  auto const make = [&](std::vector<glt::global_id> bounds) { glt::io::detail::edge_spill(scratch.path(), bounds, 0); };
  CHECK(names(thrown<glt::precondition_error>([&] { make({1}); }), "1 bounds"));
  CHECK(names(thrown<glt::precondition_error>([&] { make({2, 1}); }), "ascending"));
  glt::io::detail::edge_spill spill(scratch.path() / "missing", {0, 1}, 0);
  CHECK(names(thrown<glt::io_error>([&] {
                for (int i = 0; i < 64; ++i) {
                  spill.add({0, 0, i});
                }
              }),
              "missing", "make room"));
}

TEST_CASE("rows of a range hold their edges by id, in whatever order they came") {
  for (bool const shuffled : {false, true}) {
    for (std::int64_t const count : {0, 1, 700}) {
      auto edges = random_edges(count, 40, 9);
      for (auto& edge : edges) {
        edge.row += 100;
      }
      auto expected = edges;
      std::ranges::stable_sort(expected, {}, &moving_edge::row);
      if (shuffled) {
        std::ranges::reverse(edges);
        std::rotate(edges.begin(), edges.begin() + count / 3, edges.end());
      }
      auto const rows =
          glt::io::detail::compress_range(glt::host_view<moving_edge const>(edges.data(), count), 100, 141);
      CHECK(rows.offsets.size() == 42);
      std::int64_t e = 0;
      for (std::int64_t r = 0; r < 41; ++r) {
        for (; e < rows.offsets[r + 1]; ++e) {
          CHECK(moving_edge{100 + r, rows.columns[e], rows.ids[e]} == expected[static_cast<std::size_t>(e)]);
        }
      }
      CHECK(e == count);
    }
  }
}
