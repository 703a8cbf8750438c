// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/graph/hetero_graph.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"

#include <cstdint>
#include <vector>

using glt::device::cpu;

namespace {

template <glt::device_policy Policy, class Vertex>
void check_rows(glt_test::hetero_list const& list, Policy const& policy) {
  for (int e = 0; e < list.schema.num_edge_types(); ++e) {
    auto const& edges = list.relations[static_cast<std::size_t>(e)];
    glt::buffer<Policy, Vertex> sources(static_cast<std::int64_t>(edges.sources.size()));
    glt::buffer<Policy, Vertex> destinations(sources.size());
    for (std::int64_t i = 0; i < sources.size(); ++i) {
      sources[i] = static_cast<Vertex>(edges.sources[static_cast<std::size_t>(i)]);
      destinations[i] = static_cast<Vertex>(edges.destinations[static_cast<std::size_t>(i)]);
    }
    auto const relation = glt::make_relation<Policy, Vertex>(list.schema, e, sources.view(), destinations.view(),
                                                             {.edge_ids = true}, policy);
    auto const view = relation.view();
    auto const expected = glt_test::naive_rows(list, e);
    REQUIRE(view.num_rows() == static_cast<std::int64_t>(expected.size()));
    CHECK(view.num_columns() == list.schema.num_vertices(list.schema.source_type(e)));
    for (std::int64_t r = 0; r < view.num_rows(); ++r) {
      auto const& row = expected[static_cast<std::size_t>(r)];
      REQUIRE(view.degree(r) == static_cast<std::int64_t>(row.size()));
      for (std::int64_t j = 0; j < view.degree(r); ++j) {
        REQUIRE(view.source(view.offset(r) + j) == row[static_cast<std::size_t>(j)].first);
        REQUIRE(view.id_of_edge(view.offset(r) + j) == row[static_cast<std::size_t>(j)].second);
      }
    }
    auto const without = glt::make_relation<Policy, Vertex>(list.schema, e, sources.view(), destinations.view());
    CHECK_FALSE(without.view().has_edge_ids());
    CHECK(without.view().num_edges() == view.num_edges());
  }
}

} // namespace

TEST_CASE("rows are those of the destination type, edges in their order") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    check_rows<cpu, glt::local_id>(list, cpu());
    check_rows<cpu, glt::global_id>(list, cpu(3));
    check_rows<glt_test::minimal_policy, glt::local_id>(list, {});
  }
}

TEST_CASE("edges that the types do not have are refused") {
  glt::hetero_schema const schema({{"a", 2}, {"b", 3}}, {{"a", "x", "b"}});
  auto const refused = [&](std::vector<glt::local_id> const& sources, std::vector<glt::local_id> const& destinations,
                           int edge_type = 0) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { static_cast<void>(glt::make_relation<cpu>(schema, edge_type, sources, destinations)); });
  };
  CHECK(refused({0, 1}, {2, 2}) == "(nothing was thrown)");
  CHECK(glt_test::names(refused({0, 2}, {2, 2}), "(a, x, b)", "source of edge 1 is 2", "[0, 2)"));
  CHECK(glt_test::names(refused({0, 1}, {-1, 3}), "(a, x, b)", "destination of edge 0 is -1", "[0, 3)"));
  CHECK(glt_test::names(refused({0, 1}, {2}), "(a, x, b)", "2 sources", "1 destinations"));
  CHECK(glt_test::names(refused({}, {}, 1), "edge type 1 of 1"));
}
