// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/memory/buffer.hpp>
#include <glt/partition/split.hpp>

#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;

TEST_CASE("a part moves with everything it owns, and does not copy") {
  static_assert(!std::is_copy_constructible_v<graph_part<device::cpu>>);
  csr_graph<device::cpu, global_id> rows(9, make_buffer<device::cpu>(std::vector<edge_offset>{0, 2}),
                                         make_buffer<device::cpu>(std::vector<global_id>{8, 0}),
                                         make_buffer<device::cpu>(std::vector<edge_id>{5, 6}));
  graph_part<device::cpu> part{partition_book({0, 8, 9}), 1, std::move(rows),
                               make_buffer<device::cpu>(std::vector<global_id>{4})};
  auto const moved = std::move(part);
  CHECK(moved.book.size(1) == 1);
  CHECK(moved.part == 1);
  CHECK(moved.graph.view().source(0) == 8);
  CHECK(moved.original[0] == 4);
}

TEST_CASE("a part without vertices has no rows") {
  graph_part<device::cpu> const nothing;
  CHECK(nothing.book.num_vertices() == 0);
  CHECK(nothing.graph.view().num_rows() == 0);
}
