// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/outofcore/staging/detail/stage_graph.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("pieces become columns, and no file is left") {
  scratch_folder const scratch;
  {
    io::detail::staged_edges edges(scratch.path());
    io::raw_data::edge_table piece;
    std::vector<global_id> sources;
    std::vector<float> weights;
    for (global_id size = 0; size < 40; ++size) {
      for (global_id i = 0; i < size; ++i) {
        piece.sources.push_back(size);
        piece.destinations.push_back(i);
        piece.weights.push_back(static_cast<float>(i));
        sources.push_back(size);
        weights.push_back(static_cast<float>(i));
      }
      edges.take(piece);
      CHECK(piece.sources.empty());
      CHECK(piece.weights.empty());
      CHECK(edges.size() == std::ssize(sources));
    }
    auto const columns = std::move(edges).finish();
    CHECK(std::ranges::equal(columns.view().sources, sources));
    CHECK(std::ranges::equal(columns.view().weights, weights));
    CHECK(columns.view().destinations.size() == std::ssize(sources));
    CHECK(columns.view().times.empty());
    CHECK(scratch.num_entries() == 0);
    io::detail::staged_edges const given_up(scratch.path());
    CHECK(scratch.num_entries() == 4);
  }
  CHECK(scratch.num_entries() == 0);
  CHECK(names(thrown<io_error>([&] { io::detail::staged_edges const edges(scratch / "no"); }), "no/edges-sources"));
}

TEST_CASE("rows become an array of their shape") {
  scratch_folder const scratch;
  io::detail::staged_rows rows(scratch / "a", element_type::float32, {3});
  rows.append(host_view<float const>(std::vector<float>{1, 2, 3, 4, 5, 6}));
  rows.append(host_view<float const>(std::vector<float>{7, 8, 9}));
  auto const made = std::move(rows).finish();
  CHECK(made.shape() == std::vector<std::int64_t>{3, 3});
  CHECK(made.values<float>()[8] == 9);
  CHECK(std::move(io::detail::staged_rows(scratch / "b", element_type::int64, {})).finish().shape() ==
        std::vector<std::int64_t>{0});
  CHECK(std::move(io::detail::staged_rows(scratch / "c", element_type::int64, {0})).finish().shape() ==
        std::vector<std::int64_t>{0, 0});
  CHECK(scratch.num_entries() == 0);
}
