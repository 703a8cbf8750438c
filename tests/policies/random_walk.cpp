// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/errors.hpp"
#include "../support/graphs.hpp"
#include "../support/policies.hpp"
#include "../support/pinned_policy.hpp"

#include <glt/graph/copy_graph.hpp>
#include <glt/sample/random_walk.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace glt;
using glt_test::pinned_policy;

namespace {

std::vector<walk_options> options_to_try() {
  return {{.length = 1},
          {.length = 5, .walks_per_start = 3, .edge_ids = true},
          {.length = 18, .restart = 0.3, .edge_ids = true}};
}

template <class Vertex>
std::vector<Vertex> some_starts(std::int64_t num_vertices, std::int64_t count) {
  std::vector<Vertex> starts;
  for (std::int64_t i = 0; i < (num_vertices == 0 ? 0 : count); ++i) {
    starts.push_back(static_cast<Vertex>((i * 31 + 5) % num_vertices));
  }
  return starts;
}

// Walks on a policy, with the graph in memory of another one, equal those of the CPU.
template <class Policy, class GraphPolicy, class Vertex>
void check_walks(csr_view<memory_space::host, Vertex> graph, std::vector<Vertex> const& starts,
                 std::vector<global_id> const& original) {
  Policy const policy;
  auto const copied = copy_graph<GraphPolicy>(graph);
  auto const names = make_buffer<GraphPolicy>(original);
  auto const from = make_buffer<Policy>(starts, policy);
  walks<device::cpu, Vertex> expected;
  walks<Policy, Vertex> out(policy);
  for (auto const& options : options_to_try()) {
    random_walker<device::cpu, Vertex> const reference(graph, options, {}, original);
    random_walker<Policy, Vertex, GraphPolicy::space> const walker(copied.view(), options, policy, names.view());
    CHECK(walker.options().length == options.length);
    for (std::int64_t step = 0; step < 2; ++step) {
      reference.walk(starts, {.seed = 5, .step = step}, expected);
      walker.walk(from.view(), {.seed = 5, .step = step}, out);
      REQUIRE(out.num_walks() == expected.num_walks());
      CHECK(to_vector(policy, out.vertices().flat()) == to_vector(device::cpu(), expected.vertices().flat()));
      CHECK(to_vector(policy, out.edge_ids().flat()) == to_vector(device::cpu(), expected.edge_ids().flat()));
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("walks are those of the CPU, bit for bit", Policy, GLT_TEST_POLICIES) {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
    std::vector<global_id> original;
    for (std::int64_t v = 0; v < list.num_vertices; ++v) {
      original.push_back(1000 - v);
    }
    for (std::int64_t const count : {0, 1, 777}) {
      auto const starts = some_starts<local_id>(list.num_vertices, count);
      check_walks<Policy, Policy>(graph.view(), starts, {});
      check_walks<Policy, pinned_policy>(graph.view(), starts, original);
    }
  }
}

TEST_CASE_TEMPLATE("walks over 64-bit ids without edge ids", Policy, GLT_TEST_POLICIES) {
  auto const list = glt_test::random_graph(257, 4099);
  std::vector<global_id> const sources(list.sources.begin(), list.sources.end());
  std::vector<global_id> const destinations(list.destinations.begin(), list.destinations.end());
  auto const graph = make_csr<device::cpu>(
      coo_view<memory_space::host, global_id>(list.num_vertices, sources, destinations), {.edge_ids = false});
  check_walks<Policy, Policy>(graph.view(), some_starts<global_id>(257, 300), {});
}

TEST_CASE_TEMPLATE("the first start that is no vertex is named", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const made = make_csr<device::cpu>(glt_test::random_graph(101, 370).view());
  auto const graph = copy_graph<Policy>(made.view(), policy);
  random_walker<Policy> const walker(graph.view(), {.length = 2}, policy);
  walks<Policy> out(policy);
  auto const starts = make_buffer<Policy>(std::vector<local_id>{4, 101, -1}, policy);
  CHECK_THROWS_WITH_AS(walker.walk(starts.view(), {}, out),
                       "start 1 is 101, but vertices are in [0, 101); pass ids of this graph", precondition_error);
  CHECK(out.num_walks() == 0);
  CHECK_THROWS_AS(random_walker<Policy>(graph.view(), {.length = 0}, policy), precondition_error);
}
