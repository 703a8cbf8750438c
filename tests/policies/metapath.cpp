// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/hetero_graphs.hpp"
#include "support/pinned_policy.hpp"
#include "support/policies.hpp"

#include <glt/graph/csr.hpp>
#include <glt/sample/walk/metapath.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using namespace glt;
using glt_test::pinned_policy;

namespace {

// Walks on a policy along relations in memory of another one equal those of the CPU.
template <class Policy, class GraphPolicy>
void check_walks(std::vector<csr_view<memory_space::host>> const& path, std::vector<local_id> const& starts,
                 metapath_options const& options) {
  Policy const policy;
  std::vector<csr_graph<GraphPolicy>> relations;
  std::vector<csr_view<GraphPolicy::space>> copied;
  for (auto const& relation : path) {
    relations.push_back(copy<GraphPolicy>(relation));
    copied.push_back(relations.back().view());
  }
  walks<device::cpu> expected;
  metapath_walker<device::cpu>(path, options).walk(starts, {.seed = 6}, expected);
  auto const from = make_buffer<Policy>(starts, policy);
  walks<Policy> out(policy);
  metapath_walker<Policy, local_id, GraphPolicy::space> const walker(copied, options, policy);
  walker.walk(from.view(), {.seed = 6}, out);
  REQUIRE(out.num_walks() == expected.num_walks());
  CHECK(to_vector(policy, out.vertices().flat()) == to_vector(device::cpu(), expected.vertices().flat()));
  CHECK(to_vector(policy, out.edge_ids().flat()) == to_vector(device::cpu(), expected.edge_ids().flat()));
}

} // namespace

TEST_CASE_TEMPLATE("walks along a meta-path are those of the CPU, bit for bit", Policy, GLT_TEST_ONE_POLICY) {
  for (std::int64_t const size : {1, 30, 301}) {
    auto const graph = glt_test::academic_graph(size).graph();
    for (auto const& types : {std::vector{2}, std::vector{0, 1}, std::vector{0, 1, 5, 6}, std::vector{0, 1, 2}}) {
      for (auto const& options : {metapath_options{.length = 1}, metapath_options{.length = 3, .walks_per_start = 2},
                                  metapath_options{.length = 23, .edge_ids = true}}) {
        auto const path = detail::make_metapath(graph.view(), std::span(types), options.length);
        for (std::int64_t const count : {0, 1, 333}) {
          std::vector<local_id> starts;
          for (std::int64_t i = 0; i < count; ++i) {
            starts.push_back(static_cast<local_id>(i * 31 % size));
          }
          check_walks<Policy, Policy>(path, starts, options);
          check_walks<Policy, pinned_policy>(path, starts, options);
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("a start that is no row of the first relation is named", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::academic_graph(64);
  auto const graph = list.graph();
  std::vector<int> const types{2};
  auto const path = detail::make_metapath(graph.view(), std::span(types), 9);
  auto const relation = copy<Policy>(path[0], policy);
  metapath_walker<Policy> const walker({relation.view()}, {.length = 9}, policy);
  walks<Policy> out(policy);
  auto const starts = make_buffer<Policy>(std::vector<local_id>{63, 64}, policy);
  CHECK_THROWS_WITH_AS(walker.walk(starts.view(), {}, out),
                       "start 1 is 64, but vertices are in [0, 64); pass ids of this graph", precondition_error);
  CHECK_THROWS_AS(metapath_walker<Policy>({}, {.length = 1}, policy), precondition_error);
}
