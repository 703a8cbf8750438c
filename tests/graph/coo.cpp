// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/graph/coo.hpp>
#include <glt/memory/buffer.hpp>

#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("an edge list owns its arrays and moves, but does not copy") {
  static_assert(!std::is_copy_constructible_v<coo_graph<device::cpu>>);
  static_assert(std::is_nothrow_move_constructible_v<coo_graph<device::cpu>>);
  static_assert(std::is_trivially_copyable_v<coo_view<memory_space::host>>);
  coo_graph<device::cpu> graph(5, make_buffer<device::cpu>(std::vector<local_id>{0, 4, 4}),
                               make_buffer<device::cpu>(std::vector<local_id>{1, 1, 4}));
  auto const moved = std::move(graph);
  CHECK(moved.view().num_vertices() == 5);
  CHECK(moved.view().num_edges() == 3);
  CHECK(to_vector(moved.view().sources()) == std::vector<local_id>{0, 4, 4});
  CHECK(to_vector(moved.view().destinations()) == std::vector<local_id>{1, 1, 4});
  CHECK(coo_graph<device::cpu>{}.view().num_edges() == 0);
}

TEST_CASE("an edge list refuses arrays of different lengths and a negative number of vertices") {
  std::vector<local_id> const three{0, 1, 2};
  std::vector<local_id> const two{0, 1};
  auto const lengths = thrown<precondition_error>([&] { coo_view<memory_space::host>(3, three, two); });
  CHECK(names(lengths, "3 sources", "2 destinations"));
  CHECK(names(thrown<precondition_error>([&] { coo_view<memory_space::host>(-4, two, two); }), "-4"));
  CHECK_THROWS_AS((coo_graph<device::cpu>(3, make_buffer<device::cpu>(three), make_buffer<device::cpu>(two))),
                  precondition_error);
}
