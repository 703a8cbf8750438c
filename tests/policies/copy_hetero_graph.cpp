// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/hetero_graphs.hpp"
#include "support/policies.hpp"

#include <glt/graph/hetero_graph.hpp>

#include <doctest/doctest.h>

using namespace glt;

TEST_CASE_TEMPLATE("a copied graph of several types is the graph", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  device::cpu const host;
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    auto const copied = copy<Policy>(graph.view(), policy);
    CHECK(copied.view().schema() == list.schema);
    for (int e = 0; e < list.schema.num_edge_types(); ++e) {
      auto const expected = graph.view().relation(e);
      auto const found = copied.view().relation(e);
      CHECK(found.num_columns() == expected.num_columns());
      CHECK(to_vector(policy, found.offsets()) == to_vector(host, expected.offsets()));
      CHECK(to_vector(policy, found.sources()) == to_vector(host, expected.sources()));
      CHECK(to_vector(policy, found.edge_ids()) == to_vector(host, expected.edge_ids()));
    }
  }
}
