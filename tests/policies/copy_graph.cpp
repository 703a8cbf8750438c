// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <glt/graph/csr.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace glt;

TEST_CASE_TEMPLATE("a copied graph is the graph", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (bool const ids : {false, true}) {
    for (std::int64_t const vertices : {0, 1, 99}) {
      auto const list = glt_test::random_graph(vertices, vertices * 5);
      auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = ids});
      auto const copied = copy(graph.view(), policy);
      CHECK(copied.view().num_columns() == vertices);
      CHECK(to_vector(policy, copied.view().offsets()) == to_vector(device::cpu(), graph.view().offsets()));
      CHECK(to_vector(policy, copied.view().sources()) == to_vector(device::cpu(), graph.view().sources()));
      CHECK(to_vector(policy, copied.view().edge_ids()) == to_vector(device::cpu(), graph.view().edge_ids()));
    }
  }
}
