// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("compressed rows give back what they were built from") {
  static_assert(!std::is_copy_constructible_v<csr_graph<device::cpu>>);
  static_assert(std::is_trivially_copyable_v<csr_view<memory_space::host>>);
  csr_graph<device::cpu> const graph(9, make_buffer<device::cpu>(std::vector<edge_offset>{0, 2, 2, 5}),
                                     make_buffer<device::cpu>(std::vector<local_id>{8, 0, 3, 3, 1}),
                                     make_buffer<device::cpu>(std::vector<edge_id>{4, 40, 1, 0, 7}));
  auto const view = graph.view();
  CHECK(view.num_rows() == 3);
  CHECK(view.num_columns() == 9);
  CHECK(view.num_edges() == 5);
  CHECK(view.degree(0) == 2);
  CHECK(view.degree(1) == 0);
  CHECK(view.row(1).empty());
  CHECK(to_vector(view.row(2)) == std::vector<local_id>{3, 3, 1});
  CHECK(view.offset(3) == 5);
  CHECK(view.source(1) == 0);
  CHECK(view.has_edge_ids());
  CHECK(view.id_of_edge(1) == 40);
}

TEST_CASE("edges without stored ids are known by their position") {
  std::vector<edge_offset> const offsets{0, 2};
  std::vector<local_id> const sources{1, 0};
  csr_view<memory_space::host> const view(2, offsets, sources);
  CHECK_FALSE(view.has_edge_ids());
  CHECK(view.id_of_edge(1) == 1);
}

TEST_CASE("a view without anything has no rows and no edges") {
  csr_view<memory_space::host> const nothing;
  CHECK(nothing.num_rows() == 0);
  CHECK(nothing.num_edges() == 0);
  CHECK(csr_graph<device::cpu>{}.view().num_rows() == 0);
}

TEST_CASE("compressed rows refuse arrays that cannot belong together") {
  std::vector<edge_offset> const offsets{0, 2};
  std::vector<local_id> const sources{1, 0};
  std::vector<edge_id> const ids{1, 0, 2};
  CHECK(names(thrown<precondition_error>([&] { csr_view<memory_space::host>(-1, offsets, sources); }), "-1"));
  CHECK(names(thrown<precondition_error>([&] { csr_view<memory_space::host>(2, {}, sources); }), "2 edges"));
  CHECK(names(thrown<precondition_error>([&] { csr_view<memory_space::host>(2, offsets, sources, ids); }), "3 edge ids",
              "2 edges"));
}
