// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/cover/boundary_cover.hpp>

#include <glt/core/types.hpp>

#include <vector>

TEST_CASE("edges become rows, of which only those with edges are listed, by number; equal edges stay") {
  glt::detail::listed_edges const edges({{7, 1, 9}, {2, 5, 3}, {7, 0, 12}, {2, 5, 1}, {4, 3, 0}});
  auto const shard = edges.view<glt::memory_space::host>(9, 6);
  CHECK(shard.num_rows == 9);
  CHECK(shard.num_columns == 6);
  CHECK(shard.num_edges == 5);
  CHECK(std::vector<glt::local_id>(shard.rows.begin(), shard.rows.end()) == std::vector<glt::local_id>{2, 4, 7});
  CHECK(std::vector<glt::edge_offset>(shard.offsets.begin(), shard.offsets.end()) ==
        std::vector<glt::edge_offset>{0, 2, 3, 5});
  CHECK(std::vector<glt::local_id>(shard.columns.begin(), shard.columns.end()) ==
        std::vector<glt::local_id>{5, 5, 3, 1, 0});
  CHECK(std::vector<glt::local_id>(shard.edges.begin(), shard.edges.end()) ==
        std::vector<glt::local_id>{1, 3, 0, 9, 12});
}

TEST_CASE("no edges have no rows") {
  for (auto const& edges :
       {glt::detail::listed_edges(), glt::detail::listed_edges(std::vector<glt::detail::listed_edge>())}) {
    auto const shard = edges.view<glt::memory_space::host>(3, 4);
    CHECK(shard.num_edges == 0);
    CHECK(shard.rows.size() == 0);
  }
}
