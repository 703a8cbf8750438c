// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"
#include "support/policy_subgraphs.hpp"

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/hop_worker.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;

TEST_CASE_TEMPLATE("batches are the same whether sizes of hops are read or bounded", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  auto const there = copy(graph.view(), policy);
  std::vector<local_id> const seeds{7, 200, 7, 0, 256, 31};
  auto const seeds_there = make_buffer(seeds, policy);
  for (auto const expand : {frontier::fresh, frontier::all}) {
    for (bool const disjoint : {false, true}) {
      for (std::int64_t const outermost : {3, -1}) {
        neighbor_options const options{
            .fanouts = {4, 2, outermost}, .expand = expand, .edge_ids = disjoint, .disjoint = disjoint};
        neighbor_sampler<device::cpu> on_host(graph.view(), options);
        sampled_subgraph<device::cpu> expected;
        on_host.sample(seeds, {.seed = 3}, expected);
        auto const wanted = copy_subgraph(device::cpu(), expected);
        for (std::int64_t const most_unread : {0, 3, 24, 80, 1 << 20}) { // all hops read, some, none
          CAPTURE(most_unread);
          detail::hop_worker<Policy, local_id, uniform_rule> worker(policy, most_unread);
          for (int batch = 0; batch < 2; ++batch) { // the second one with the memory of the first
            sampled_subgraph<Policy> out;
            worker.sample(policy.executor(), there.view(), options, uniform_rule{}, {}, seeds_there.view(), {},
                          {.seed = 3}, out);
            CHECK(copy_subgraph(policy, out) == wanted);
          }
        }
      }
    }
  }
}
