// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/all_types.hpp>

#include <glt/outofcore/detail/edge_shuffle.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"
#include "support/typed_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using glt::global_id;
namespace io = glt::io;

TEST_CASE("types follow one another in the numbering of all") {
  auto const data = glt_test::typed_set(9, 12);
  io::detail::all_types const all(data.view());
  CHECK(all.num_vertices() == 9 + 0 + 5);
  CHECK(all.first_vertex(0) == 0);
  CHECK(all.first_vertex(1) == 9);
  CHECK(all.first_vertex(2) == 9);
  CHECK(all.first_vertex(3) == 14);
  CHECK(all.num_edges() == 12 + 12 + 0 + 6);
  CHECK(all.first_edge(2) == 24);
  CHECK(all.first_edge(3) == 24);
  std::vector<global_id> train = data.nodes[0].train;
  for (auto const vertex : data.nodes[2].train) {
    train.push_back(9 + vertex);
  }
  CHECK(all.train() == train);
  io::raw_data const nothing;
  CHECK(io::detail::all_types(nothing.view()).num_vertices() == 0);
  CHECK(io::detail::all_types(nothing.view()).num_edges() == 0);
}

TEST_CASE("edges of all types become the rows of the graph in memory") {
  for (auto const& [vertices, edges] : {std::pair{1, 0}, std::pair{1, 5}, std::pair{47, 300}}) {
    auto const data = glt_test::typed_set(vertices, edges);
    auto const whole = glt_test::whole_graph_of(data);
    auto const expected = whole.view();
    io::detail::all_types const all(data.view());
    glt_test::on_ranks([&](auto comm) {
      glt_test::scratch_folder const scratch;
      auto const counts = io::detail::count_in_edges(comm, all);
      REQUIRE(std::ssize(counts) == expected.num_rows());
      for (std::int64_t v = 0; v < expected.num_rows(); ++v) {
        CHECK(counts[static_cast<std::size_t>(v)] == expected.degree(v));
      }
      // Every rank keeps a range of the rows.
      auto const bound = [&](int rank) { return all.num_vertices() * rank / comm.size(); };
      std::vector<global_id> bounds;
      for (int rank = 0; rank <= comm.size(); ++rank) {
        bounds.push_back(bound(rank));
      }
      auto const rank_of_row = [&](global_id row) {
        return static_cast<int>(std::ranges::upper_bound(bounds, row) - bounds.begin()) - 1;
      };
      auto const first = bound(comm.rank());
      auto const last = bound(comm.rank() + 1);
      io::detail::edge_spill spill(scratch.path(), {first, last}, 1 << 12);
      io::detail::spill_edges(comm, all, {.for_vertices = 0, .for_edges = 1 << 12}, {}, rank_of_row, spill);
      auto const rows = io::detail::compress_range(spill.take(0).view(), first, last);
      for (auto row = first; row < last; ++row) {
        auto const begin = rows.offsets[row - first];
        auto const end = rows.offsets[row - first + 1];
        CHECK(std::ranges::equal(rows.columns.view().subview(begin, end - begin), expected.row(row)));
        CHECK(std::is_sorted(rows.ids.begin() + begin, rows.ids.begin() + end));
      }
    });
  }
}

TEST_CASE("an edge to a vertex that its type does not have is named with the type") {
  auto data = glt_test::typed_set(9, 12);
  data.edges[3].destinations[4] = 5; // a vertex of another type would have this number among all
  glt_test::on_ranks([&](auto comm) {
    auto const text = glt_test::thrown<glt::collective_error>(
        [&] { static_cast<void>(io::detail::count_in_edges(comm, io::detail::all_types(data.view()))); });
    CHECK(glt_test::names(text, "destination of edge 4 of (paper, by, author) is 5", "[0, 5)"));
  });
}
