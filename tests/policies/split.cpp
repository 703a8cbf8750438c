// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <glt/partition/book.hpp>
#include <glt/partition/split.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE_TEMPLATE("parts are those of the CPU, in memory of the policy", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
    std::vector<local_id> part_of;
    std::vector<float> rows;
    for (std::int64_t v = 0; v < list.num_vertices; ++v) {
      part_of.push_back(static_cast<local_id>(v * 5 % 3));
      rows.push_back(static_cast<float>(v));
      rows.push_back(static_cast<float>(v) / 2);
    }
    host_matrix<float const> const matrix(rows.data(), list.num_vertices, 2);
    auto const labels = make_relabelling(part_of, 4); // and one that stays empty
    for (int part = 0; part < 4; ++part) {
      auto const made = split_graph<global_id>(graph.view(), labels, part, policy);
      auto const expected = split_graph<global_id>(graph.view(), labels, part);
      CHECK(made.book == expected.book);
      CHECK(made.part == part);
      CHECK(made.graph.view().num_columns() == expected.graph.view().num_columns());
      auto const same = [&](auto view, auto expected_view) {
        return to_vector(policy, view) == to_vector(device::cpu(), expected_view);
      };
      CHECK(same(made.original.view(), expected.original.view()));
      CHECK(same(made.graph.view().offsets(), expected.graph.view().offsets()));
      CHECK(same(made.graph.view().sources(), expected.graph.view().sources()));
      CHECK(same(made.graph.view().edge_ids(), expected.graph.view().edge_ids()));
      auto const taken = split_rows(matrix, labels, part, policy);
      auto const expected_rows = split_rows(matrix, labels, part);
      CHECK(same(taken.view(), expected_rows.view()));
    }
  }
}
