// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/partition/partitioner.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"
#include "support/partitioners.hpp"

#include <glt/graph/validate.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

TEST_CASE("the homogeneous graph has the vertices and edges of all types") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    auto const whole = glt::detail::make_homogeneous(graph.view());
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
        auto const part_of = partitioner.run(glt::detail::make_homogeneous(graph.view()).view(), parts);
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
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(glt::detail::make_homogeneous(graph)); }),
      "number of vertices of all types is 3221225472", "32-bit"));
  glt::hetero_schema const small({{"a", 3}}, {});
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          static_cast<void>(glt::partition_by_type(glt::hetero_view<glt::memory_space::host>(small, {}),
                                                                   glt::contiguous_partitioner{}, 0));
                        }),
                        "0 parts"));
}

TEST_CASE("with limits every part has its share of every type, and of the training seeds of a type") {
  auto const list = glt_test::academic_graph(1501);
  auto const graph = list.graph();
  auto const types = list.schema.num_node_types();
  std::vector<glt::local_id> seeds; // papers with low ids
  for (glt::local_id v = 0; v < 300; ++v) {
    seeds.push_back(v);
  }
  glt::balance_constraints const balance{
      glt::balance_limit::types(list.schema, 0.1),
      glt::balance_limit::seeds(list.schema, 0, glt::host_view<glt::local_id const>(seeds), 0.1)};
  auto const check = [&](auto const& partitioner, int parts) {
    auto const labels = glt::partition_by_type(graph.view(), partitioner, parts);
    for (int t = 0; t < types; ++t) {
      auto const& book = labels[static_cast<std::size_t>(t)].book;
      for (int part = 0; part < parts; ++part) {
        CHECK(static_cast<double>(book.size(part)) <=
              std::ceil(1.1 * static_cast<double>(book.num_vertices()) / parts));
      }
    }
    std::vector<std::int64_t> seeds_of(static_cast<std::size_t>(parts), 0);
    for (auto const seed : seeds) {
      ++seeds_of[static_cast<std::size_t>(labels[0].book.owner(labels[0].renumbered[seed]))];
    }
    CHECK(std::ranges::max(seeds_of) <= std::ceil(1.1 * 300 / parts));
  };
  for (int const parts : {2, 4}) {
    check(glt::ldg_partitioner{.balance = balance}, parts);
    check(glt::fennel_partitioner{.passes = 2, .balance = balance}, parts);
  }
}

TEST_CASE("limits by type know the type of every vertex, also where types are empty") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const limit = glt::balance_limit::types(list.schema, 0.25);
    CHECK(limit.slack == 0.25);
    CHECK(limit.num_groups >= list.schema.num_node_types());
    std::int64_t vertex = 0;
    for (int t = 0; t < list.schema.num_node_types(); ++t) {
      CHECK(glt::detail::first_vertices(list.schema)[static_cast<std::size_t>(t)] == vertex);
      for (std::int64_t v = 0; v < list.schema.num_vertices(t); ++v, ++vertex) {
        REQUIRE(limit.share(vertex).group == t);
        REQUIRE(limit.share(vertex).weight == 1);
      }
    }
    CHECK(glt::detail::first_vertices(list.schema).back() == vertex);
    CHECK(
        glt::ldg_partitioner{.balance = {limit}}(glt::detail::make_homogeneous(list.graph().view()).view(), 3).size() ==
        vertex);
  }
}

TEST_CASE("seeds of a type weigh at their vertices alone, and those that are none are named") {
  glt::hetero_schema const schema({{"a", 2}, {"b", 3}, {"c", 4}}, {});
  std::vector<glt::global_id> seeds{2, 0, 2};
  auto const limit = glt::balance_limit::seeds(schema, 1, glt::host_view<glt::global_id const>(seeds));
  std::vector<std::int64_t> weights;
  for (std::int64_t v = 0; v < 9; ++v) {
    weights.push_back(limit.share(v).weight);
  }
  CHECK(weights == std::vector<std::int64_t>{0, 0, 1, 0, 2, 0, 0, 0, 0});
  auto const complaint = [&](int type) {
    return glt_test::thrown<glt::precondition_error>([&] {
      static_cast<void>(glt::balance_limit::seeds(schema, type, glt::host_view<glt::global_id const>(seeds)));
    });
  };
  CHECK(glt_test::names(complaint(0), "seed 0 is 2", "[0, 2)"));
  CHECK(glt_test::names(complaint(3), "node type 3"));
}
