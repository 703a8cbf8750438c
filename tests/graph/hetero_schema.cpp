// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/graph/hetero_schema.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

namespace {

glt::hetero_schema academic() {
  return {{{"paper", 10}, {"author", 7}, {"topic", 0}},
          {{"author", "writes", "paper"}, {"paper", "cites", "paper"}, {"author", "cites", "paper"}}};
}

std::string refused(auto&& f) {
  return glt_test::thrown<glt::precondition_error>(f);
}

} // namespace

TEST_CASE("types are known by number and by name") {
  auto const schema = academic();
  CHECK(schema.num_node_types() == 3);
  CHECK(schema.num_edge_types() == 3);
  for (int t = 0; t < 3; ++t) {
    CHECK(schema.find_node_type(schema.node_types()[static_cast<std::size_t>(t)].name) == t);
    CHECK(schema.find_edge_type(schema.edge_types()[static_cast<std::size_t>(t)]) == t);
  }
  CHECK(schema.num_vertices(1) == 7);
  CHECK(schema.num_vertices(2) == 0);
  CHECK(schema.source_type(0) == 1);
  CHECK(schema.destination_type(0) == 0);
  CHECK(schema.find_edge_type("writes") == 0);
  CHECK(schema.name_of_edge_type(2) == "(author, cites, paper)");
  CHECK(schema == academic());
  CHECK(schema != glt::hetero_schema{});
  CHECK(glt::hetero_schema{}.num_node_types() == 0);
}

TEST_CASE("what is not there is refused with a list of what is") {
  auto const schema = academic();
  CHECK(glt_test::names(refused([&] { static_cast<void>(schema.find_node_type("venue")); }), "'venue'",
                        "'paper', 'author', 'topic'"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(schema.find_edge_type({"paper", "writes", "author"})); }),
                        "(paper, writes, author)",
                        "(author, writes, paper), (paper, cites, paper), (author, cites, paper)"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(schema.find_edge_type("cites")); }), "2 edge types", "'cites'",
                        "(paper, cites, paper)"));
  CHECK(
      glt_test::names(refused([&] { static_cast<void>(schema.find_edge_type("likes")); }), "0 edge types", "'likes'"));
  CHECK(
      glt_test::names(refused([] { static_cast<void>(glt::hetero_schema{}.find_node_type("a")); }), "there are none"));
  for (int const type : {-1, 3}) {
    auto const number = std::to_string(type);
    CHECK(glt_test::names(refused([&] { static_cast<void>(schema.num_vertices(type)); }), "node type " + number,
                          "'topic'"));
    CHECK(glt_test::names(refused([&] { static_cast<void>(schema.source_type(type)); }), "edge type " + number));
    CHECK(glt_test::names(refused([&] { static_cast<void>(schema.destination_type(type)); }), "edge type " + number));
    CHECK(glt_test::names(refused([&] { static_cast<void>(schema.name_of_edge_type(type)); }), "edge type " + number));
  }
}

TEST_CASE("schemas that contradict themselves are refused") {
  using nodes = std::vector<glt::hetero_schema::node_type>;
  using edges = std::vector<glt::hetero_schema::edge_type>;
  auto const made = [](nodes const& n, edges const& e) { return refused([&] { glt::hetero_schema(n, e); }); };
  CHECK(glt_test::names(made({{"a", 1}, {"b", 1}, {"a", 2}}, {}), "'a'", "twice"));
  CHECK(glt_test::names(made({{"", 1}}, {}), "''", "name"));
  CHECK(glt_test::names(made({{"a", -1}}, {}), "'a'", "-1 vertices"));
  CHECK(glt_test::names(made({{"a", 1}}, {{"a", "x", "a"}, {"a", "x", "a"}}), "(a, x, a)", "twice"));
  CHECK(glt_test::names(made({{"a", 1}}, {{"a", "x", "b"}}), "no node type 'b'", "'a'"));
  CHECK(glt_test::names(made({{"a", 1}}, {{"a", "x", "a"}, {"a", "", "a"}}), "edge type 1", "no name"));
}
