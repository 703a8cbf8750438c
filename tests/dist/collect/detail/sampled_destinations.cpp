// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_lists.hpp>

#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/subgraph.hpp>

#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

TEST_CASE_TEMPLATE("every edge of a sample has the vertex at which it ends", Policy, GLT_TEST_GLUE_POLICIES) {
  Policy const policy;
  auto const list = glt_test::random_graph(101, 900);
  auto const whole = glt::make_csr<glt::device::cpu>(list.view(), {.edge_ids = true});
  auto const graph = glt::copy(whole.view(), policy);
  std::vector<glt::local_id> const seeds{3, 50, 3, 77};
  auto const there = glt::make_buffer<Policy>(seeds, policy);
  glt::neighbor_sampler sampler(graph.view(), {.fanouts = {4, 3}, .edge_ids = true}, policy);
  glt::sampled_subgraph<Policy, glt::local_id> sample;
  sampler.sample(there.view(), {.seed = 5}, sample);
  glt::buffer<Policy, glt::global_id> out(0, policy);
  for (int repeated = 0; repeated < 2; ++repeated) {
    glt::detail::sampled_destinations(policy, sample, out);
    auto const destinations = glt::to_vector(policy, std::as_const(out).view());
    auto const ids = glt::to_vector(policy, sample.edge_ids());
    REQUIRE(destinations.size() == ids.size());
    CHECK(!ids.empty());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      bool of_row = false;
      for (auto e = whole.view().offset(destinations[i]); e < whole.view().offset(destinations[i] + 1); ++e) {
        of_row = of_row || whole.view().id_of_edge(e) == ids[i];
      }
      CHECK(of_row);
    }
  }
}
