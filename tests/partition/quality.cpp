// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../support/errors.hpp"
#include "../support/graphs.hpp"

#include <glt/partition/quality.hpp>

#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("cut edges and sizes are counted") {
  edge_list const graph{"", 5, {0, 1, 2, 3, 3, 4}, {1, 2, 2, 0, 0, 0}};
  auto const rows = make_csr<device::cpu>(graph.view());
  std::vector<local_id> const part_of{0, 0, 2, 2, 0};
  auto const quality = measure_partition(rows.view(), host_view<local_id const>(part_of), 3);
  CHECK(quality.num_edges == 6);
  CHECK(quality.num_cut_edges == 3); // 1 → 2 and twice 3 → 0
  CHECK(quality.smallest_part == 0);
  CHECK(quality.largest_part == 3);
  CHECK(quality.most_edges == 4); // 3 into vertex 0, 1 into vertex 1
}

TEST_CASE("a graph without vertices has nothing to cut") {
  auto const rows = make_csr<device::cpu>(edge_list{"", 0, {}, {}}.view());
  auto const quality = measure_partition(rows.view(), host_view<local_id const>{}, 4);
  CHECK(quality.num_cut_edges == 0);
  CHECK(quality.largest_part == 0);
}

TEST_CASE("parts that do not fit the graph are refused") {
  auto const rows = make_csr<device::cpu>(edge_list{"", 3, {}, {}}.view());
  std::vector<local_id> const two{0, 1};
  std::vector<local_id> const three{0, 1, 5};
  auto const complaint = [&](std::vector<local_id> const& part_of) {
    return thrown<precondition_error>(
        [&] { static_cast<void>(measure_partition(rows.view(), host_view<local_id const>(part_of), 2)); });
  };
  CHECK(names(complaint(two), "2 vertices", "3 rows"));
  CHECK(names(complaint(three), "vertex 2 is 5", "[0, 2)"));
  std::vector<local_id> const fitting{0, 1, 1};
  csr_view<memory_space::host> const wide(20, rows.view().offsets(), rows.view().sources());
  CHECK(names(thrown<precondition_error>([&] {
                static_cast<void>(measure_partition(wide, host_view<local_id const>(fitting), 2));
              }),
              "3 rows", "20 columns"));
}
