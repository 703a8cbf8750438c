// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../support/graphs.hpp"

#include <glt/partition/contiguous.hpp>

#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("parts are ranges of ids whose sizes differ by at most one, the larger ones first") {
  auto const part_of = [](std::int64_t num_vertices, int num_parts) {
    auto const rows = make_csr<device::cpu>(edge_list{"", num_vertices, {}, {}}.view());
    return to_vector(contiguous_partitioner{}(rows.view(), num_parts));
  };
  CHECK(part_of(0, 3) == std::vector<local_id>{});
  CHECK(part_of(1, 3) == std::vector<local_id>{0});
  CHECK(part_of(7, 3) == std::vector<local_id>{0, 0, 0, 1, 1, 2, 2});
  CHECK(part_of(6, 3) == std::vector<local_id>{0, 0, 1, 1, 2, 2});
  CHECK(part_of(2, 5) == std::vector<local_id>{0, 1});
  CHECK(part_of(4, 1) == std::vector<local_id>{0, 0, 0, 0});
}
