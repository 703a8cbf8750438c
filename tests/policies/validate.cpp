// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/validate.hpp>
#include <glt/sample/detail/arguments.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;

namespace {

template <class Policy>
csr_graph<Policy> rows(Policy const& policy, std::int64_t num_columns, std::vector<edge_offset> const& offsets,
                       std::vector<local_id> const& sources, std::vector<edge_id> const& ids = {}) {
  return {num_columns, make_buffer<Policy>(offsets, policy), make_buffer<Policy>(sources, policy),
          make_buffer<Policy>(ids, policy)};
}

template <class Policy>
coo_graph<Policy> edges(Policy const& policy, std::int64_t num_vertices, std::vector<local_id> const& sources,
                        std::vector<local_id> const& destinations) {
  return {num_vertices, make_buffer<Policy>(sources, policy), make_buffer<Policy>(destinations, policy)};
}

} // namespace

TEST_CASE_TEMPLATE("good graphs are accepted", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const listed = edges(policy, list.num_vertices, list.sources, list.destinations);
    CHECK_NOTHROW(validate(listed.view(), policy));
    auto const made = make_csr(listed.view(), {.edge_ids = true}, policy);
    CHECK_NOTHROW(validate(made.view(), policy));
  }
  CHECK_NOTHROW(validate(csr_graph<Policy>().view(), policy));
}

TEST_CASE_TEMPLATE("the first fault is named", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  CHECK_THROWS_WITH_AS(validate(edges(policy, 3, {0, 2, 3, -1}, {0, 1, 5, 2}).view(), policy),
                       "source of edge 2 is 3, outside [0, 3), the range of vertex ids; correct the id or the number "
                       "of vertices",
                       precondition_error);
  CHECK_THROWS_WITH_AS(validate(edges(policy, 3, {0, 2, 2}, {0, -7, 5}).view(), policy),
                       "destination of edge 1 is -7, outside [0, 3), the range of vertex ids; correct the id or the "
                       "number of vertices",
                       precondition_error);
  CHECK_THROWS_WITH_AS(validate(rows(policy, 3, {1, 2}, {0, 1}).view(), policy),
                       "row offset 0 is 1; the first row begins at edge 0", precondition_error);
  CHECK_THROWS_WITH_AS(validate(rows(policy, 3, {0, 2, 1, 0, 2}, {0, 1}).view(), policy),
                       "row offset 2 is 1, less than the one before it, 2; offsets never descend", precondition_error);
  CHECK_THROWS_WITH_AS(validate(rows(policy, 3, {0, 1}, {0, 1}).view(), policy),
                       "row offset 1, the last, is 1, but there are 2 edges; the two are equal", precondition_error);
  CHECK_THROWS_WITH_AS(validate(rows(policy, 3, {0, 2}, {0, 3}).view(), policy),
                       "source at position 1 is 3, outside [0, 3), the range of vertex ids; correct the id or the "
                       "number of vertices",
                       precondition_error);
  CHECK_THROWS_WITH_AS(validate(rows(policy, 3, {0, 2}, {0, 1}, {5, -2}).view(), policy),
                       "edge id at position 1 is -2; ids are 0 or more", precondition_error);
}

TEST_CASE_TEMPLATE("vertices and relations are looked at wherever they are", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const seeds = make_buffer<Policy>(std::vector<global_id>{0, 9, 10, -1}, policy);
  CHECK_THROWS_WITH_AS(detail::validate_vertices(policy, "seed", seeds.view(), 10),
                       "seed 2 is 10, but vertices are in [0, 10); pass ids of this graph", precondition_error);
  CHECK_THROWS_WITH_AS(detail::validate_vertices(policy, "seed", std::as_const(seeds).view(), 11),
                       "seed 3 is -1, but vertices are in [0, 11); pass ids of this graph", precondition_error);
  CHECK_NOTHROW(detail::validate_vertices(policy, "seed", seeds.view().subview(0, 3), 11));
  CHECK_NOTHROW(detail::validate_vertices(policy, "seed", seeds.view().subview(0, 0), 0));

  hetero_schema const schema({{"a", 2}, {"b", 3}}, {{"b", "to", "a"}});
  auto const sources = make_buffer<Policy>(std::vector<local_id>{2, 0, 2}, policy);
  auto const destinations = make_buffer<Policy>(std::vector<local_id>{1, 1, 0}, policy);
  auto const relation =
      make_relation<Policy>(schema, 0, sources.view(), destinations.view(), {.edge_ids = true}, policy);
  CHECK(to_vector(policy, relation.view().offsets()) == std::vector<edge_offset>{0, 1, 3});
  CHECK(to_vector(policy, relation.view().sources()) == std::vector<local_id>{2, 2, 0});
  CHECK(to_vector(policy, relation.view().edge_ids()) == std::vector<edge_id>{2, 0, 1});
  CHECK_THROWS_AS(static_cast<void>(make_relation<Policy>(schema, 0, destinations.view(), sources.view(), {}, policy)),
                  precondition_error);
}
