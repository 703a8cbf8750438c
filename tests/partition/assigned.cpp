// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/partition/simple_partitioners.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(partitioner<assigned_partitioner, local_id> && partitioner<assigned_partitioner, global_id>);

TEST_CASE("the parts are those that were given") {
  for (std::vector<local_id> const& parts :
       {std::vector<local_id>{}, std::vector<local_id>{2}, std::vector<local_id>{1, 1, 0, 2, 0, 0, 1}}) {
    auto const rows = make_csr<device::cpu>(edge_list{"", static_cast<std::int64_t>(parts.size()), {}, {}}.view());
    CHECK(to_vector(assigned_partitioner{parts}(rows.view(), 3)) == parts);
    CHECK(to_vector(assigned_partitioner{parts}(rows.view(), 9)) == parts); // some stay empty
  }
}

TEST_CASE("too few parts and the first vertex outside of them are named") {
  auto const rows = make_csr<device::cpu>(random_graph(5, 30).view());
  auto const complaint = [&](std::vector<local_id> const& parts, int num_parts) {
    return thrown<precondition_error>([&] { static_cast<void>(assigned_partitioner{parts}(rows.view(), num_parts)); });
  };
  CHECK(names(complaint({0, 1, 2}, 3), "3 vertices", "5 rows"));
  CHECK(names(complaint({0, 1, 2, 0, 0, 0}, 3), "6 vertices", "5 rows"));
  CHECK(names(complaint({0, 1, 0, 3, 4}, 3), "vertex 3 is 3", "[0, 3)"));
  CHECK(names(complaint({0, -1, 0, 3, 4}, 3), "vertex 1 is -1"));
  CHECK(names(complaint({0, 0, 0, 0, 0}, 0), "0 parts"));
  std::vector<local_id> const parts(5, 0);
  csr_view<memory_space::host> const wide(99, rows.view().offsets(), rows.view().sources());
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(assigned_partitioner{parts}(wide, 2)); }),
              "99 columns"));
}
