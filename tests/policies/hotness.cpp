// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/pinned_policy.hpp"
#include "support/policies.hpp"

#include <glt/graph/csr.hpp>
#include <glt/sample/hotness/hotness.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using glt_test::pinned_policy;

namespace {

std::vector<neighbor_options> options_to_try() {
  return {{.fanouts = {4}},
          {.fanouts = {3, 2, 5}, .expand = frontier::all},
          {.fanouts = {3, 2}, .replace = true},
          {.fanouts = {-1, 300}}};
}

// Every third vertex, and some of them twice or three times.
std::vector<local_id> some_seeds(std::int64_t num_vertices) {
  std::vector<local_id> seeds;
  for (std::int64_t v = 0; v < num_vertices; v += 3) {
    seeds.push_back(static_cast<local_id>(v * 7 % num_vertices));
  }
  for (std::size_t i = 0; i < seeds.size() / 4; ++i) {
    seeds.push_back(seeds[i / 2]);
  }
  return seeds;
}

template <class Policy, class GraphPolicy>
void check_hotness(csr_view<memory_space::host> graph, std::vector<local_id> const& seeds,
                   hotness_options const& options) {
  Policy const policy;
  auto const copied = copy<GraphPolicy>(graph);
  auto const list = make_buffer<Policy>(seeds, policy);
  auto const expected = estimate_hotness<device::cpu>(graph, seeds, options);
  auto const hotness = estimate_hotness(copied.view(), list.view(), options, policy);
  CHECK(to_vector(policy, hotness.view()) == to_vector(device::cpu(), expected.view()));
}

} // namespace

TEST_CASE_TEMPLATE("hotness is that of the CPU, bit for bit", Policy, GLT_TEST_ONE_POLICY) {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = make_csr<device::cpu>(list.view());
    auto const seeds = some_seeds(list.num_vertices);
    for (auto const& neighbors : options_to_try()) {
      for (std::int64_t const batch_size : {1, 4, 1000000}) {
        check_hotness<Policy, Policy>(graph.view(), seeds, {.neighbors = neighbors, .batch_size = batch_size});
        check_hotness<Policy, pinned_policy>(graph.view(), {}, {.neighbors = neighbors, .batch_size = batch_size});
      }
      check_hotness<Policy, pinned_policy>(graph.view(), seeds, {.neighbors = neighbors, .batch_size = 7});
    }
  }
}

TEST_CASE_TEMPLATE("a hub that everybody draws is hot, however many add to it at once", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  glt_test::edge_list list{"star, outward", 70001, {}, {}};
  std::vector<local_id> seeds;
  for (int v = 1; v <= 70000; ++v) {
    list.add(0, v);
    seeds.push_back(v);
  }
  auto const made = make_csr<device::cpu>(list.view());
  auto const graph = copy<Policy>(made.view(), policy);
  auto const from = make_buffer<Policy>(seeds, policy);
  for (std::int64_t const batch_size : {70000, 69999, 35000}) {
    auto const hot =
        estimate_hotness(graph.view(), from.view(), {.neighbors = {.fanouts = {1}}, .batch_size = batch_size}, policy);
    CHECK(detail::read_element(policy, hot.view(), 0) == 1);
  }
}

TEST_CASE_TEMPLATE("the first seed that is no vertex is named", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const made = make_csr<device::cpu>(glt_test::random_graph(101, 370).view());
  auto const graph = copy<Policy>(made.view(), policy);
  auto const seeds = make_buffer<Policy>(std::vector<local_id>{0, 101, -1}, policy);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(estimate_hotness(graph.view(), seeds.view(), {.neighbors = {.fanouts = {2}}}, policy)),
      "seed 1 is 101, but vertices are in [0, 101); pass ids of this graph", precondition_error);
}
