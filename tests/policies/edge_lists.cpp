// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace glt;

namespace {

// An edge list in memory of a policy equals one in ordinary memory.
template <class Policy, class Vertex>
void check_same(coo_graph<Policy, Vertex> const& made, coo_graph<device::cpu, Vertex> const& expected,
                Policy const& policy) {
  CHECK(made.view().num_vertices() == expected.view().num_vertices());
  CHECK(to_vector(policy, made.view().sources()) == to_vector(device::cpu(), expected.view().sources()));
  CHECK(to_vector(policy, made.view().destinations()) == to_vector(device::cpu(), expected.view().destinations()));
}

template <class Policy>
coo_graph<Policy> copied(glt_test::edge_list const& list, Policy const& policy) {
  return {list.num_vertices, make_buffer<Policy>(list.sources, policy), make_buffer<Policy>(list.destinations, policy)};
}

} // namespace

TEST_CASE_TEMPLATE("edge lists are changed as on the CPU", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const edges = copied(list, policy);
    check_same(symmetrize(edges.view(), policy), symmetrize<device::cpu>(list.view()), policy);
    for (auto const loops : {self_loop_handling::keep, self_loop_handling::remove}) {
      check_same(remove_duplicates(edges.view(), loops, policy), remove_duplicates<device::cpu>(list.view(), loops),
                 policy);
    }
  }
}

TEST_CASE_TEMPLATE("random graphs are those of the CPU", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (int const scale : {0, 1, 5, 10}) {
    for (bool const shuffle : {false, true}) {
      rmat_options const options{.scale = scale, .edge_factor = 5, .seed = 3, .shuffle_ids = shuffle};
      check_same(make_rmat<local_id>(options, policy), make_rmat<local_id>(options), policy);
      check_same(make_rmat<global_id>(options, policy), make_rmat<global_id>(options), policy);
    }
  }
  for (std::int64_t const vertices : {0, 7, 1001}) {
    planted_communities<>::options const options{
        .num_vertices = vertices, .num_communities = vertices == 0 ? 1 : 7, .seed = 4};
    auto const made = make_planted_communities<local_id>(options, policy);
    auto const expected = make_planted_communities<local_id>(options);
    check_same(made.graph, expected.graph, policy);
    CHECK(to_vector(policy, made.community.view()) == to_vector(device::cpu(), expected.community.view()));
  }
}
