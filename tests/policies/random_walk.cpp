// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"
#include "support/policy_walks.hpp"

#include <glt/graph/coo.hpp>
#include <glt/sample/walk/random_walk.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace glt;

namespace {

struct random_walkers {
  template <device_policy Policy, vertex_id Vertex, memory_space GraphSpace>
  using walker = random_walker<Policy, Vertex, GraphSpace>;

  static std::vector<walk_options> options() {
    return {{.length = 1},
            {.length = 5, .walks_per_start = 3, .edge_ids = true},
            {.length = 18, .restart = 0.3, .edge_ids = true}};
  }
};

} // namespace

TEST_CASE_TEMPLATE("walks are those of the CPU, bit for bit", Policy, GLT_TEST_ONE_POLICY) {
  glt_test::check_walks_of_graphs<random_walkers, Policy>();
}

TEST_CASE_TEMPLATE("walks over 64-bit ids without edge ids", Policy, GLT_TEST_ONE_POLICY) {
  auto const list = glt_test::random_graph(257, 4099);
  std::vector<global_id> const sources(list.sources.begin(), list.sources.end());
  std::vector<global_id> const destinations(list.destinations.begin(), list.destinations.end());
  auto const graph = make_csr<device::cpu>(
      coo_view<memory_space::host, global_id>(list.num_vertices, sources, destinations), {.edge_ids = false});
  auto const starts = glt_test::some_starts<global_id>(257, 300);
  glt_test::check_walks<random_walkers, Policy, Policy>(graph.view(), starts, {});
}

TEST_CASE_TEMPLATE("the first start that is no vertex is named", Policy, GLT_TEST_ONE_POLICY) {
  glt_test::check_refused_walks<random_walkers, Policy>();
}
