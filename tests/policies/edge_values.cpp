// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <glt/graph/csr.hpp>
#include <glt/graph/edge_values.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE_TEMPLATE("values by edge id come into row order", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    std::vector<float> values;
    for (std::int64_t i = 0; i < list.num_edges() + 1; ++i) { // one more than there are edges
      values.push_back(static_cast<float>(i) / 3);
    }
    auto const made = make_csr<device::cpu>(list.view(), {.edge_ids = true});
    auto const graph = copy<Policy>(made.view(), policy);
    auto const brought = make_edge_values<Policy>(graph.view(), values, policy);
    auto const expected = make_edge_values<device::cpu>(made.view(), values);
    CHECK(to_vector(policy, brought.view()) == to_vector(device::cpu(), expected.view()));
  }
}

TEST_CASE_TEMPLATE("an edge without a value is named", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  glt_test::edge_list const list{"three edges", 2, {0, 0, 1}, {1, 0, 0}};
  auto const made = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  auto const graph = copy<Policy>(made.view(), policy);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(make_edge_values<Policy>(graph.view(), std::vector<int>{1, 2}, policy)),
      "edge at position 1 has id 2, but there are 2 values; give one for every edge of the input, in its order",
      precondition_error);
  auto const without = make_csr<device::cpu>(list.view());
  auto const unnamed = copy<Policy>(without.view(), policy);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(make_edge_values<Policy>(unnamed.view(), std::vector<int>{1, 2}, policy)),
      "values by edge id for a graph without edge ids, which has forgotten the order of the input; make it with "
      "csr_options {.edge_ids = true}, or pass values that are in the order of its rows already directly to the rule "
      "that draws by them",
      precondition_error);
}

TEST_CASE_TEMPLATE("rows in order of time", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    std::vector<std::int64_t> times;
    for (std::int64_t i = 0; i < list.num_edges(); ++i) {
      times.push_back(i * 7919 % 13 - 6);
    }
    for (bool const edge_ids : {false, true}) {
      auto const made = make_csr<device::cpu>(list.view(), {.edge_ids = edge_ids});
      auto const graph = copy<Policy>(made.view(), policy);
      auto const given = make_buffer<Policy>(times, policy);
      auto const sorted = sort_rows_by_time<Policy>(graph.view(), given.view(), policy);
      auto const expected = sort_rows_by_time<device::cpu>(made.view(), times);
      CHECK(to_vector(policy, sorted.times.view()) == to_vector(device::cpu(), expected.times.view()));
      CHECK(to_vector(policy, sorted.graph.view().offsets()) ==
            to_vector(device::cpu(), expected.graph.view().offsets()));
      CHECK(to_vector(policy, sorted.graph.view().sources()) ==
            to_vector(device::cpu(), expected.graph.view().sources()));
      CHECK(to_vector(policy, sorted.graph.view().edge_ids()) ==
            to_vector(device::cpu(), expected.graph.view().edge_ids()));
    }
  }
}
