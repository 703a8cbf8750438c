// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"
#include "support/policies.hpp"
#include "support/policy_hetero_subgraphs.hpp"

#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/hetero_sampler.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;
using glt_test::hetero_seed_lists_of;

namespace {

std::vector<hetero_options> options_for(hetero_schema const& schema) {
  std::vector<hetero_options> made;
  made.push_back({.fanouts = same_fanouts(schema, {3, 2})});
  made.push_back({.fanouts = same_fanouts(schema, {2, 4, 2}), .replace = true, .edge_ids = true});
  made.push_back({.fanouts = same_fanouts(schema, {-1, 2}), .edge_ids = true});
  made.push_back({.fanouts = same_fanouts(schema, {3, 3}), .expand = frontier::all, .edge_ids = true});
  made.push_back({.fanouts = same_fanouts(schema, {2, -1}), .edge_ids = true, .disjoint = true});
  made.push_back({.fanouts = same_fanouts(schema, {2, 3}), .expand = frontier::all, .disjoint = true});
  auto& uneven = made.emplace_back(hetero_options{.fanouts = same_fanouts(schema, {2, 0, 3}), .edge_ids = true});
  for (std::size_t e = 0; e < uneven.fanouts.size(); e += 2) {
    uneven.fanouts[e] = {0, 5, static_cast<std::int64_t>(e) - 1};
  }
  return made;
}

} // namespace

TEST_CASE_TEMPLATE("heterogeneous batches are those of the host", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    auto const there = copy<Policy>(graph.view(), policy);
    for (auto const& options : options_for(list.schema)) {
      hetero_neighbor_sampler<device::cpu> on_host(graph.view(), options);
      hetero_neighbor_sampler<Policy> sampler(there.view(), options, policy);
      hetero_subgraph<device::cpu> expected;
      hetero_subgraph<Policy> out; // reused: nothing of the last batch may shine through
      for (std::int64_t step = 0; step < 3; ++step) {
        sample_key const key{.seed = 3, .epoch = 1, .step = step};
        on_host.sample(hetero_seed_lists_of(device::cpu{}, list, step).lists, key, expected);
        auto const seeds = hetero_seed_lists_of(policy, list, step);
        sampler.sample(seeds.lists, key, out);
        CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu{}, expected));
      }
    }
  }
}

TEST_CASE_TEMPLATE("a seed that is no vertex leaves the last batch as it was", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::academic_graph(31);
  auto const there = copy<Policy>(list.graph().view(), policy);
  hetero_neighbor_sampler<Policy> sampler(there.view(), {.fanouts = same_fanouts(list.schema, {2})}, policy);
  hetero_subgraph<Policy> out;
  auto const good = make_buffer<Policy>(std::vector<local_id>{1, 2}, policy);
  auto const bad = make_buffer<Policy>(std::vector<local_id>{1, 16}, policy);
  sampler.sample(1, good.view(), {}, out);
  auto const before = copy_subgraph(policy, out);
  CHECK(glt_test::names(glt_test::thrown<precondition_error>([&] { sampler.sample(1, bad.view(), {}, out); }),
                        "author seed 1 is 16", "[0, 16)"));
  CHECK(copy_subgraph(policy, out) == before);
}
