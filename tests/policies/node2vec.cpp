// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"
#include "support/policy_walks.hpp"

#include <glt/graph/csr.hpp>
#include <glt/sample/walk/node2vec.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace glt;

namespace {

struct node2vec_walkers {
  template <device_policy Policy, vertex_id Vertex, memory_space GraphSpace>
  using walker = node2vec_walker<Policy, Vertex, GraphSpace>;

  static std::vector<node2vec_options> options() {
    return {{.length = 1},
            {.length = 9, .walks_per_start = 2, .p = 0.25, .q = 4, .edge_ids = true},
            {.length = 12, .p = 4, .q = 0.25},
            {.length = 3, .p = 1e-5, .q = 0.5}};
  }
};

} // namespace

TEST_CASE_TEMPLATE("node2vec walks are those of the CPU, bit for bit", Policy, GLT_TEST_ONE_POLICY) {
  glt_test::check_walks_of_graphs<node2vec_walkers, Policy>();
}

TEST_CASE_TEMPLATE("walks over rows that ascend", Policy, GLT_TEST_ONE_POLICY) {
  auto list = glt_test::random_graph(257, 4099);
  std::ranges::sort(list.sources); // the conversion keeps this order within every row
  auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  Policy const policy;
  auto const copied = copy<Policy>(graph.view(), policy);
  CHECK(node2vec_walker<Policy>(copied.view(), {.length = 1}, policy).ascending());
  auto const starts = glt_test::some_starts<local_id>(257, 300);
  glt_test::check_walks<node2vec_walkers, Policy, Policy>(graph.view(), starts, {});
}

TEST_CASE_TEMPLATE("the first start that is no vertex is named", Policy, GLT_TEST_ONE_POLICY) {
  glt_test::check_refused_walks<node2vec_walkers, Policy>();
}
