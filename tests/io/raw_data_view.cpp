// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"

#include <glt/io/raw_data.hpp>

#include <cstddef>

using namespace glt;
using namespace glt_test;

TEST_CASE("a view borrows everything that a data set holds, in place") {
  auto const data = hetero_known_set();
  auto const view = data.view();
  CHECK(view.name == data.name);
  CHECK(view.nodes.data() == data.nodes.data());
  CHECK(view.nodes.size() == data.nodes.size());
  REQUIRE(view.edges.size() == data.edges.size());
  for (std::size_t e = 0; e < data.edges.size(); ++e) {
    auto const& from = data.edges[e];
    auto const& table = view.edges[e];
    CHECK(table.source == from.source);
    CHECK(table.name == from.name);
    CHECK(table.destination == from.destination);
    CHECK(table.columns.sources.data() == from.sources.data());
    CHECK(to_vector(table.columns.sources) == from.sources);
    CHECK(to_vector(table.columns.destinations) == from.destinations);
    CHECK(to_vector(table.columns.weights) == from.weights);
    CHECK(to_vector(table.columns.times) == from.times);
    CHECK(table.features.data() == from.features.data());
    REQUIRE(table.links.size() == from.links.size());
    for (std::size_t i = 0; i < from.links.size(); ++i) {
      CHECK(table.links[i].name == from.links[i].name);
      CHECK(to_vector(table.links[i].edges.sources) == from.links[i].edges.sources);
      CHECK(to_vector(table.links[i].edges.destinations) == from.links[i].edges.destinations);
      CHECK(to_vector(table.links[i].negatives.sources) == from.links[i].negatives.sources);
      CHECK(to_vector(table.links[i].negatives.destinations) == from.links[i].negatives.destinations);
    }
  }
  CHECK(io::raw_data{}.view().edges.empty());
}

TEST_CASE("the schema has the types in the order of the data set, and names what does not fit") {
  auto data = hetero_known_set(23, 11);
  auto const schema = io::detail::schema_of(data.view());
  CHECK(schema.num_node_types() == 3);
  CHECK(schema.num_vertices(1) == 11);
  CHECK(schema.num_edge_types() == 4);
  CHECK(schema.source_type(1) == 1);
  CHECK(schema.destination_type(1) == 0);
  data.edges[2].destination = "venue";
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(io::detail::schema_of(data.view())); }),
              "no node type 'venue'"));
}
