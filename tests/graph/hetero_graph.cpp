// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/graph/hetero_graph.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

using glt::device::cpu;

static_assert(std::is_trivially_copyable_v<glt::hetero_view<glt::memory_space::host>>);

TEST_CASE("a heterogeneous graph has the rows of every relation, and its views survive a move") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto first = list.graph();
    auto const view = first.view();
    auto const moved = std::move(first);
    glt::validate(view);
    CHECK(view.schema() == list.schema);
    CHECK(&view.schema() == &moved.schema());
    for (int e = 0; e < list.schema.num_edge_types(); ++e) {
      CHECK(glt_test::rows_of(view.relation(e)) == glt_test::naive_rows(list, e));
    }
  }
}

TEST_CASE("memory of any space can hold a graph") {
  using policy = glt_test::minimal_policy;
  glt::hetero_schema const schema({{"a", 0}, {"b", 2}}, {{"a", "x", "b"}});
  std::vector<glt::csr_graph<policy>> relations;
  glt::buffer<policy, glt::edge_offset> offsets(3);
  offsets[0] = offsets[1] = offsets[2] = 0;
  relations.emplace_back(0, std::move(offsets), glt::buffer<policy, glt::local_id>());
  glt::hetero_graph<policy> const graph(schema, std::move(relations));
  glt::validate(graph.view());
  CHECK(graph.view().relation(0).num_rows() == 2);
}

TEST_CASE("relations that do not fit the schema are refused") {
  glt::hetero_schema const schema({{"a", 2}, {"b", 3}}, {{"a", "x", "b"}, {"b", "y", "a"}});
  std::vector<glt::edge_offset> const three{0, 0, 1};
  std::vector<glt::edge_offset> const four{0, 1, 1, 2};
  std::vector<glt::local_id> const sources{0, 1};
  using view = glt::csr_view<glt::memory_space::host>;
  auto const x = view(2, four, sources);
  auto const y = view(3, three, glt::host_view<glt::local_id const>(sources).subview(0, 1));
  auto const refused = [&](std::vector<view> const& relations) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { glt::hetero_view<glt::memory_space::host>(schema, relations); });
  };
  CHECK(refused({x, y}) == "(nothing was thrown)");
  CHECK(glt_test::names(refused({x}), "1 relations", "2 edge types"));
  CHECK(glt_test::names(refused({y, x}), "(a, x, b)", "2 rows and 3 columns", "needs 3 rows", "2 columns"));
  CHECK(glt_test::names(refused({x, x}), "(b, y, a)"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { glt::hetero_graph<cpu>(schema, std::vector<glt::csr_graph<cpu>>{}); }),
                        "0 relations"));
}

TEST_CASE("validate names the relation and the fault") {
  glt::hetero_schema const schema({{"a", 2}, {"b", 3}}, {{"b", "y", "a"}, {"a", "x", "b"}});
  std::vector<glt::edge_offset> const three{0, 0, 1};
  std::vector<glt::edge_offset> const four{0, 1, 1, 2};
  std::vector<glt::local_id> const good{2};
  std::vector<glt::local_id> const bad{0, 2};
  std::vector<glt::csr_view<glt::memory_space::host>> const relations{{3, three, good}, {2, four, bad}};
  auto const fault = glt_test::thrown<glt::precondition_error>(
      [&] { glt::validate(glt::hetero_view<glt::memory_space::host>(schema, relations)); });
  CHECK(glt_test::names(fault, "(a, x, b)", "source at position 1 is 2", "[0, 2)"));
}
