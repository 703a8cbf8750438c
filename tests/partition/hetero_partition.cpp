// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/partition/hetero_partition.hpp>

#include "../support/errors.hpp"
#include "../support/hetero_graphs.hpp"
#include "../support/partitioners.hpp"

#include <glt/graph/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

TEST_CASE("the homogeneous graph has the vertices and edges of all types") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    auto const whole = glt::make_homogeneous(graph.view());
    glt::validate(whole.view());
    std::vector<std::int64_t> first{0};
    for (auto const& type : list.schema.node_types()) {
      first.push_back(first.back() + type.num_vertices);
    }
    std::vector<std::vector<std::int64_t>> expected(static_cast<std::size_t>(first.back()));
    for (int e = 0; e < list.schema.num_edge_types(); ++e) {
      auto const rows = glt_test::naive_rows(list, e);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (auto const& [source, id] : rows[r]) {
          auto const first_row = first[static_cast<std::size_t>(list.schema.destination_type(e))];
          expected[static_cast<std::size_t>(first_row) + r].push_back(
              first[static_cast<std::size_t>(list.schema.source_type(e))] + source);
        }
      }
    }
    REQUIRE(whole.view().num_rows() == first.back());
    REQUIRE(whole.view().num_columns() == first.back());
    for (std::size_t r = 0; r < expected.size(); ++r) {
      auto const row = whole.view().row(static_cast<std::int64_t>(r));
      CHECK(std::vector<std::int64_t>(row.begin(), row.end()) == expected[r]);
    }
  }
}

TEST_CASE("every partitioner divides the vertices of all types") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    for (auto const& partitioner : glt_test::all_partitioners()) {
      CAPTURE(partitioner.name);
      for (int const parts : {1, 3}) {
        auto const labels = glt::partition_by_type(graph.view(), partitioner.run, parts);
        auto const part_of = partitioner.run(glt::make_homogeneous(graph.view()).view(), parts);
        REQUIRE(labels.size() == static_cast<std::size_t>(list.schema.num_node_types()));
        std::int64_t first = 0;
        for (int t = 0; t < list.schema.num_node_types(); ++t) {
          auto const& of_type = labels[static_cast<std::size_t>(t)];
          REQUIRE(of_type.book.num_parts() == parts);
          REQUIRE(of_type.book.num_vertices() == list.schema.num_vertices(t));
          for (std::int64_t v = 0; v < list.schema.num_vertices(t); ++v) {
            CHECK(of_type.book.owner(of_type.renumbered[v]) == part_of[first + v]);
          }
          first += list.schema.num_vertices(t);
        }
      }
    }
  }
}

TEST_CASE("a graph with more vertices than a vertex id can number is refused") {
  std::int64_t const many = std::int64_t{1} << 30;
  glt::hetero_schema const schema({{"a", many}, {"b", many}, {"c", many}}, {});
  glt::hetero_view<glt::memory_space::host> const graph(schema, {});
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { static_cast<void>(glt::make_homogeneous(graph)); }),
                        "number of vertices of all types is 3221225472", "32-bit"));
  glt::hetero_schema const small({{"a", 3}}, {});
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          static_cast<void>(glt::partition_by_type(glt::hetero_view<glt::memory_space::host>(small, {}),
                                                                   glt::contiguous_partitioner{}, 0));
                        }),
                        "0 parts"));
}
