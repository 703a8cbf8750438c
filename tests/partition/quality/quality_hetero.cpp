// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/executors.hpp"
#include "support/hetero_parts.hpp"
#include "support/naive_quality.hpp"

#include <glt/partition/partitioner.hpp>
#include <glt/partition/quality/quality.hpp>
#include <glt/partition/simple_partitioners.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using glt_test::divided_hetero_graph;

using assignment = std::vector<glt::host_view<glt::local_id const>>;

// Every third vertex trains, every seventh of the others validates, some of the types test.
struct known_splits {
  explicit known_splits(glt::hetero_schema const& schema) {
    for (auto const& type : schema.node_types()) {
      auto& [train, valid, test] = lists.emplace_back();
      for (std::int64_t v = 0; v < type.num_vertices; ++v) {
        (v % 3 == 0 ? train : v % 7 == 1 || lists.size() % 2 == 0 ? valid : test).push_back(v);
      }
    }
  }
  [[nodiscard]] glt::partition_quality::hetero_options view() const {
    glt::partition_quality::hetero_options options;
    for (auto const& of_type : lists) {
      options.splits.push_back({of_type.train, of_type.valid, of_type.test});
    }
    return options;
  }

  struct split_lists {
    std::vector<glt::global_id> train;
    std::vector<glt::global_id> valid;
    std::vector<glt::global_id> test;
  };
  std::vector<split_lists> lists;
};

glt::partition_quality naive(glt_test::hetero_list const& list, std::vector<glt::relabelling> const& labels, int parts,
                             known_splits const& splits) {
  glt_test::naive_quality made;
  made.num_parts = parts;
  std::vector<std::string> types;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    types.push_back(list.schema.node_types()[t].name);
    for (std::int64_t v = 0; v < labels[t].book.num_vertices(); ++v) {
      made.vertices[{t, v}] = labels[t].book.owner(labels[t].renumbered[v]);
    }
    for (auto const v : splits.lists[t].train) {
      made.train.emplace_back(t, v);
    }
    for (auto const v : splits.lists[t].valid) {
      made.valid.emplace_back(t, v);
    }
    for (auto const v : splits.lists[t].test) {
      made.test.emplace_back(t, v);
    }
  }
  for (std::size_t e = 0; e < list.relations.size(); ++e) {
    auto const from = static_cast<std::size_t>(list.schema.source_type(static_cast<int>(e)));
    auto const to = static_cast<std::size_t>(list.schema.destination_type(static_cast<int>(e)));
    for (std::size_t i = 0; i < list.relations[e].sources.size(); ++i) {
      made.edges.push_back({{from, list.relations[e].sources[i]}, {to, list.relations[e].destinations[i]}, e});
    }
  }
  auto const edge_types = list.schema.edge_types();
  return made.measure(types, {edge_types.begin(), edge_types.end()});
}

} // namespace

TEST_CASE("every number is what its definition says, by node type and by edge type") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    if (list.schema.num_node_types() == 0) {
      continue;
    }
    known_splits const splits(list.schema);
    for (int const parts : {1, 2, 5}) {
      CAPTURE(parts);
      divided_hetero_graph const divided(list, parts, 1);
      auto const expected = naive(list, divided.names, parts, splits);
      auto const quality = glt::measure_partition(divided.whole.view(), divided.names, splits.view());
      CHECK(quality == expected);
      glt::detail::part_counts sum;
      for (auto const& of_type : quality.node_types) {
        sum += of_type;
      }
      CHECK(sum == static_cast<glt::detail::part_counts const&>(quality));
      glt::detail::edge_counts edges;
      for (auto const& of_type : quality.edge_types) {
        edges += of_type;
      }
      CHECK(edges == static_cast<glt::detail::edge_counts const&>(quality));
    }
  }
}

TEST_CASE("the same on every executor, from lists of parts, without splits") {
  auto const list = glt_test::academic_graph(5003);
  auto const graph = list.graph();
  auto const labels = glt::partition_by_type(graph.view(), glt::random_partitioner{}, 2);
  std::vector<std::vector<glt::local_id>> parts;
  assignment part_of;
  for (auto const& of_type : labels) {
    auto& list_of_type = parts.emplace_back();
    for (auto const id : of_type.renumbered) {
      list_of_type.push_back(of_type.book.owner(id));
    }
  }
  for (auto const& of_type : parts) {
    part_of.emplace_back(of_type);
  }
  auto const expected = glt::measure_partition(graph.view(), labels);
  CHECK(expected.num_edges == 7 * 6 * 5003);
  CHECK(expected.num_train == 0);
  glt_test::for_each_executor([&](std::string const& name, auto const& ex) {
    CAPTURE(name);
    CHECK(glt::measure_partition(graph.view(), part_of, 2, {}, ex) == expected);
  });
}

TEST_CASE("a graph of one node type and one edge type is measured as a homogeneous one") {
  auto const list = glt_test::random_hetero_graph({{"a", 101}}, {{"a", "x", "a"}}, 999);
  auto const graph = list.graph();
  auto const part_of = glt::random_partitioner{}(graph.view().relation(0), 4);
  assignment const parts{part_of.view()};
  auto const typed = glt::measure_partition(graph.view(), parts, 4);
  auto const plain = glt::measure_partition(graph.view().relation(0), part_of.view(), 4);
  CHECK(static_cast<glt::detail::part_table const&>(typed) == static_cast<glt::detail::part_table const&>(plain));
  CHECK(typed.edges_between == plain.edges_between);
  CHECK(typed.edge_types.at(0).num_cut_edges == plain.num_cut_edges);
}

TEST_CASE("a graph without types has parts without anything") {
  glt::hetero_schema const none;
  glt::hetero_view<glt::memory_space::host> const graph(none, {});
  auto const quality = glt::measure_partition(graph, assignment{}, 3);
  CHECK(quality.parts == std::vector<glt::detail::part_counts>(3));
  CHECK(quality.edges_between == std::vector<std::int64_t>(9));
}

TEST_CASE("parts and splits that do not fit the graph are refused") {
  auto const list = glt_test::academic_graph(33);
  divided_hetero_graph divided(list, 2);
  auto const graph = divided.whole.view();
  std::vector<std::vector<glt::local_id>> parts;
  for (auto const& type : list.schema.node_types()) {
    parts.emplace_back(static_cast<std::size_t>(type.num_vertices), 0);
  }
  auto const complaint = [&](std::size_t types, int num_parts,
                             glt::partition_quality::hetero_options const& options = {}) {
    assignment part_of;
    for (std::size_t t = 0; t < types; ++t) {
      part_of.emplace_back(parts[t]);
    }
    return glt_test::thrown<glt::precondition_error>(
        [&] { static_cast<void>(glt::measure_partition(graph, part_of, num_parts, options)); });
  };
  CHECK(glt_test::names(complaint(4, 0), "0 parts"));
  CHECK(glt_test::names(complaint(3, 2), "3 types", "4 node types"));
  CHECK(glt_test::names(complaint(4, 2, {.splits = {{}, {}}}), "splits of 2 types", "4 node types"));
  std::vector<glt::global_id> const outside{2, 17};
  CHECK(glt_test::names(complaint(4, 2, {.splits = {{}, {.valid = outside}, {}, {}}}),
                        "vertex 1 of the list valid of type 'author' is 17", "[0, 17)"));
  parts[2][1] = 2;
  CHECK(glt_test::names(complaint(4, 2), "'institution'", "part of vertex 1 is 2"));
  parts[1].pop_back();
  CHECK(glt_test::names(complaint(4, 2), "16 vertices of type 'author'", "has 17"));

  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          static_cast<void>(glt::measure_partition(graph, std::span<glt::relabelling const>{}));
                        }),
                        "no relabelling"));
  divided_hetero_graph three(list, 3);
  divided.names[3] = std::move(three.names[3]);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { static_cast<void>(glt::measure_partition(graph, divided.names)); }),
                        "3 parts of the vertices of type 3", "2 parts of type 0"));
}
