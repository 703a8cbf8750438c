// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/partition/split.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using glt_test::cpu;
using glt_test::divided_hetero_graph;
using glt_test::in_edge;

// The union of all parts of one relation, in original ids.
template <class Column>
std::vector<std::vector<in_edge>> joined(divided_hetero_graph const& divided, int edge_type, int parts) {
  auto const& schema = divided.whole.schema();
  auto const& rows_named = divided.names[static_cast<std::size_t>(schema.destination_type(edge_type))];
  auto const& columns_named = divided.names[static_cast<std::size_t>(schema.source_type(edge_type))];
  std::vector<std::vector<in_edge>> rows(static_cast<std::size_t>(rows_named.book.num_vertices()));
  for (int part = 0; part < parts; ++part) {
    auto const piece = divided.part<Column>(part);
    REQUIRE(piece.part == part);
    REQUIRE(piece.schema == schema);
    auto const relation = piece.relations[static_cast<std::size_t>(edge_type)].view();
    auto const& original = piece.original[static_cast<std::size_t>(schema.destination_type(edge_type))];
    REQUIRE(relation.num_rows() == original.size());
    REQUIRE(relation.num_rows() == rows_named.book.size(part));
    glt::validate(relation);
    auto const part_rows = glt_test::rows_of(relation);
    for (std::int64_t r = 0; r < relation.num_rows(); ++r) {
      for (auto const& [column, id] : part_rows[static_cast<std::size_t>(r)]) {
        rows[static_cast<std::size_t>(original[r])].emplace_back(columns_named.original[column], id);
      }
    }
  }
  return rows;
}

} // namespace

TEST_CASE("the parts together are the graph, relation by relation, with other parts for every type") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    for (int const parts : {1, 2, 3, 80}) {
      CAPTURE(parts);
      divided_hetero_graph const divided(list, parts);
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        CHECK(joined<glt::global_id>(divided, e, parts) == glt_test::naive_rows(list, e));
        CHECK(joined<glt::local_id>(divided, e, parts) == glt_test::naive_rows(list, e));
      }
      auto const part = divided.part(parts - 1);
      CHECK(part.books.size() == static_cast<std::size_t>(list.schema.num_node_types()));
    }
  }
}

TEST_CASE("a square relation is split as a graph") {
  auto const list = glt_test::random_hetero_graph({{"a", 101}}, {{"a", "x", "a"}}, 999);
  divided_hetero_graph const divided(list, 3);
  auto const relation = divided.whole.view().relation(0);
  auto const graph_part = glt::split_graph(relation, divided.names[0], 1);
  auto const part = glt::detail::split_relation(relation, divided.names[0], divided.names[0], 1);
  CHECK(glt_test::rows_of(part.view()) == glt_test::rows_of(graph_part.graph.view()));
}

TEST_CASE("what does not fit is refused") {
  auto const list = glt_test::academic_graph(33);
  divided_hetero_graph const divided(list, 2);
  auto const refused = [&](std::vector<glt::relabelling> const& labels, int part) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { static_cast<void>(glt::split_graph(divided.whole.view(), labels, part)); });
  };
  CHECK(glt_test::names(refused(divided.names, 2), "part 2", "into 2"));
  CHECK(glt_test::names(refused(divided.names, -1), "part -1"));
  CHECK(glt_test::names(refused({}, 0), "0 relabellings", "4 node types"));
  divided_hetero_graph const other(glt_test::academic_graph(35), 2);
  CHECK(glt_test::names(refused(other.names, 0), "33 vertices of type 'paper'", "35 vertices"));
  divided_hetero_graph mixed(list, 2);
  divided_hetero_graph three(list, 3);
  mixed.names[2] = std::move(three.names[2]);
  CHECK(glt_test::names(refused(mixed.names, 0), "3 parts", "'institution'", "2 parts of the first type"));
  auto const writes = divided.whole.view().relation(0);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          static_cast<void>(glt::detail::split_relation(writes, divided.names[0], divided.names[0], 0));
                        }),
                        "17 columns", "33 vertices"));
}
