// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/policies.hpp"
#include "support/policy_subgraphs.hpp"

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/full_neighborhoods.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;

namespace {

template <class Policy>
void check_equal(Policy const& policy, full_neighborhoods<device::cpu>& expected, full_neighborhoods<Policy>& walk) {
  REQUIRE(walk.num_batches() == expected.num_batches());
  for (int time = 0; time < 2; ++time) {
    auto batch = walk.begin();
    for (auto const& wanted : expected) {
      REQUIRE(!(batch == walk.end()));
      CHECK((*batch).step == wanted.step);
      CHECK((*batch).rows == wanted.rows);
      CHECK(copy_subgraph(policy, (*batch).subgraph) == copy_subgraph(device::cpu{}, wanted.subgraph));
      ++batch;
    }
    CHECK(batch == walk.end());
  }
}

} // namespace

TEST_CASE_TEMPLATE("walks over full neighbourhoods are those of the host, batch by batch", Policy,
                   GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  auto const there = copy<Policy>(graph.view(), policy);
  std::vector<local_id> const vertices{250, 3, 3, 0, 17, 0, 3, 256};
  auto const vertices_there = make_buffer<Policy>(vertices, policy);
  for (glt::detail::row_batch_limits const limits :
       {glt::detail::row_batch_limits{.max_edges = 7, .max_rows = 3},
        glt::detail::row_batch_limits{.max_edges = 100, .max_rows = 5}, glt::detail::row_batch_limits{}}) {
    for (bool const ids : {false, true}) {
      typename full_neighborhoods<Policy>::options_type const options{.limits = limits, .edge_ids = ids};
      full_neighborhoods<device::cpu> all(graph.view(), options);
      full_neighborhoods<Policy> all_there(there.view(), options, policy);
      all.pad_to(all.num_batches() + 1);
      all_there.pad_to(all.num_batches());
      check_equal(policy, all, all_there);
      full_neighborhoods<device::cpu> some(graph.view(), vertices, options);
      full_neighborhoods<Policy> some_there(there.view(), vertices_there.view(), options, policy);
      check_equal(policy, some, some_there);
    }
  }
  auto const without_row = make_buffer<Policy>(std::vector<local_id>{5, 257}, policy);
  CHECK(glt_test::names(glt_test::thrown<precondition_error>(
                            [&] { full_neighborhoods<Policy>(there.view(), without_row.view(), {}, policy); }),
                        "vertex 1 of the list is 257", "[0, 257)"));
}

TEST_CASE_TEMPLATE("degrees are fetched some at a time, and again where they are asked for again", Policy,
                   GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::random_graph(57, 99);
  auto const graph = make_csr<device::cpu>(list.view());
  auto const there = copy<Policy>(graph.view(), policy);
  detail::walked_rows<Policy::space, local_id> const rows{there.view(), {}, true, 0};
  detail::walked_degrees<Policy, local_id> degrees(policy, 10);
  for (int time = 0; time < 2; ++time) {
    for (std::int64_t row = 0; row < 57; ++row) {
      CHECK(degrees.of(rows, row) == graph.view().degree(row));
    }
  }
}
