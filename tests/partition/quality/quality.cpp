// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/executors.hpp"
#include "support/graphs.hpp"
#include "support/naive_quality.hpp"
#include "support/partitioners.hpp"

#include <glt/partition/quality/quality.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// Splits and types that are uneven, and a vertex in a list twice.
struct known_vertices {
  explicit known_vertices(std::int64_t num_vertices) {
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      (v % 3 == 0 ? train : v % 7 == 1 ? valid : test).push_back(v);
      type_of.push_back(static_cast<local_id>(v % 5 == 0 ? 2 : 0));
    }
    if (num_vertices > 0) {
      train.push_back(num_vertices - 1);
      train.push_back(num_vertices - 1);
    }
  }
  [[nodiscard]] partition_quality::options view() const {
    return {.splits = {.train = train, .valid = valid, .test = test},
            .type_of = type_of,
            .types = {"thing", "nothing", "other"}};
  }

  std::vector<global_id> train;
  std::vector<global_id> valid;
  std::vector<global_id> test;
  std::vector<local_id> type_of;
};

partition_quality naive(edge_list const& graph, host_view<local_id const> part_of, int parts,
                        known_vertices const& known, bool typed) {
  naive_quality made;
  made.num_parts = parts;
  auto const vertex = [&](std::int64_t v) {
    return typed_vertex{typed ? static_cast<std::size_t>(known.type_of[static_cast<std::size_t>(v)]) : 0, v};
  };
  for (std::int64_t v = 0; v < graph.num_vertices; ++v) {
    made.vertices[vertex(v)] = part_of[v];
  }
  for (std::size_t e = 0; e < graph.sources.size(); ++e) {
    made.edges.push_back({vertex(graph.sources[e]), vertex(graph.destinations[e])});
  }
  for (auto const& [list, to] : {std::pair(&known.train, &made.train), std::pair(&known.valid, &made.valid),
                                 std::pair(&known.test, &made.test)}) {
    for (auto const v : *list) {
      to->push_back(vertex(v));
    }
  }
  return made.measure(typed ? known.view().types : std::vector<std::string>{}, {});
}

void check_invariants(partition_quality const& quality) {
  auto const parts = quality.num_parts();
  std::int64_t between = 0;
  for (int i = 0; i < parts; ++i) {
    std::int64_t into = 0;
    for (int j = 0; j < parts; ++j) {
      into += quality.edges(j, i);
      between += i == j ? 0 : quality.edges(i, j);
    }
    CHECK(into == quality.parts[static_cast<std::size_t>(i)].num_edges);
  }
  CHECK(between == quality.num_cut_edges);
  CHECK(quality.halo_size == quality.communication_volume);
  CHECK(quality.halo_size <= quality.num_cut_edges);
  CHECK(quality.num_boundary_vertices <= quality.num_vertices);
  CHECK(quality.replication_factor() >= 1);
  CHECK(quality.replication_factor() <= parts);
  CHECK(quality.balance(&detail::part_counts::num_vertices) >= 1);
  CHECK(quality.balance(&detail::part_counts::num_vertices) <= parts);
}

} // namespace

TEST_CASE("every number is what its definition says, with and without types, on every executor") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    known_vertices const known(graph.num_vertices);
    for (auto const& partitioner : all_partitioners()) {
      CAPTURE(partitioner.name);
      for (int const parts : {1, 2, 3, 7}) {
        CAPTURE(parts);
        if (graph.num_edges() > 5000 && parts != 3) {
          continue;
        }
        auto const part_of = partitioner.run(rows.view(), parts);
        auto options = known.view();
        auto const typed = naive(graph, part_of.view(), parts, known, true);
        check_invariants(typed);
        CHECK(measure_partition(rows.view(), part_of.view(), parts, options) == typed);
        options.types = {};
        options.type_of = {};
        CHECK(measure_partition(rows.view(), part_of.view(), parts, options) ==
              naive(graph, part_of.view(), parts, known, false));
      }
    }
  }
}

TEST_CASE("the same on every executor, also where threads share a part") {
  auto const graph = random_graph(20'011, 90'001);
  auto const rows = make_csr<device::cpu>(graph.view());
  known_vertices const known(graph.num_vertices);
  auto const part_of = random_partitioner{}(rows.view(), 3);
  auto const expected = measure_partition(rows.view(), part_of.view(), 3, known.view());
  check_invariants(expected);
  CHECK(expected.num_edges == 90'001);
  for_each_executor([&](std::string const& name, auto const& ex) {
    CAPTURE(name);
    CHECK(measure_partition(rows.view(), part_of.view(), 3, known.view(), ex) == expected);
  });
}

TEST_CASE("a graph worked out by hand") {
  edge_list const graph{"", 5, {0, 1, 2, 3, 3, 4}, {1, 2, 2, 0, 0, 0}};
  auto const rows = make_csr<device::cpu>(graph.view());
  std::vector<local_id> const part_of{0, 0, 2, 2, 0};
  auto const quality = measure_partition(rows.view(), host_view<local_id const>(part_of), 3);
  CHECK(quality.num_edges == 6);
  CHECK(quality.num_cut_edges == 3); // 1 → 2 and twice 3 → 0
  CHECK(quality.smallest_part == 0);
  CHECK(quality.largest_part == 3);
  CHECK(quality.parts[0].num_edges == 4); // 3 into vertex 0, 1 into vertex 1
  CHECK(quality.halo_size == 2);          // vertex 3 in part 0, vertex 1 in part 2
  CHECK(quality.communication_volume == 2);
  CHECK(quality.num_boundary_vertices == 4); // all but vertex 4
  CHECK(quality.replication_factor() == 7.0 / 5);
  CHECK(quality.balance(&detail::part_counts::num_edges) == 2);
  CHECK(quality.edges(2, 0) == 2);
  CHECK(quality.edges(0, 2) == 1);
  CHECK(quality.edges(2, 2) == 1);
}

TEST_CASE("more parts than vertices, and vertices of 64 bits") {
  coo_view<memory_space::host, global_id> const list(2, host_view<global_id const>{}, host_view<global_id const>{});
  auto const rows = make_csr<device::cpu>(list);
  std::vector<local_id> const part_of{99, 3};
  auto const quality = measure_partition(rows.view(), host_view<local_id const>(part_of), 100);
  CHECK(quality.num_parts() == 100);
  CHECK(quality.parts[3].num_vertices == 1);
  CHECK(quality.balance(&detail::part_counts::num_vertices) == 50);
  CHECK(quality.replication_factor() == 1);
  CHECK(quality.node_types.empty());
  CHECK(quality.edge_types.empty());
}

TEST_CASE("a graph without vertices has nothing to cut") {
  auto const rows = make_csr<device::cpu>(edge_list{"", 0, {}, {}}.view());
  auto const quality = measure_partition(rows.view(), host_view<local_id const>{}, 4, {.types = {"none"}});
  CHECK(quality.num_cut_edges == 0);
  CHECK(quality.largest_part == 0);
  CHECK(quality.replication_factor() == 1);
  REQUIRE(quality.node_types.size() == 1);
  CHECK(quality.node_types[0].parts == std::vector<detail::part_counts>(4));
}

TEST_CASE("parts, types and lists that do not fit the graph are refused") {
  auto const rows = make_csr<device::cpu>(edge_list{"", 3, {}, {}}.view());
  std::vector<local_id> const two{0, 1};
  std::vector<local_id> const three{0, 1, 5};
  std::vector<local_id> const fitting{0, 1, 1};
  std::vector<local_id> const negative{0, -1, 1};
  auto const complaint = [&](std::vector<local_id> const& part_of, partition_quality::options const& options = {}) {
    return thrown<precondition_error>(
        [&] { static_cast<void>(measure_partition(rows.view(), host_view<local_id const>(part_of), 2, options)); });
  };
  CHECK(names(complaint(two), "2 vertices", "3 rows"));
  CHECK(names(complaint(three), "vertex 2 is 5", "[0, 2)"));
  CHECK(names(complaint(fitting, {.type_of = two, .types = {"a", "b"}}), "types of 2 vertices", "3 rows"));
  CHECK(names(complaint(fitting, {.type_of = three, .types = {"a", "b"}}), "type of vertex 2 is 5", "[0, 2)"));
  CHECK(names(complaint(fitting, {.type_of = negative, .types = {"a", "b"}}), "type of vertex 1 is -1"));
  CHECK(names(complaint(fitting, {.type_of = fitting}), "type of vertex 0 is 0", "[0, 0)"));
  CHECK(names(complaint(fitting, {.types = {"a", "b"}}), "names of 2 types", "give both or neither"));
  std::vector<global_id> const outside{0, 3};
  std::vector<global_id> const below{-1};
  CHECK(names(complaint(fitting, {.splits = {.train = outside}}), "vertex 1 of the list train is 3", "[0, 3)"));
  CHECK(names(complaint(fitting, {.splits = {.valid = below}}), "vertex 0 of the list valid is -1"));
  CHECK(names(complaint(fitting, {.splits = {.test = below}}), "vertex 0 of the list test is -1"));
  CHECK(names(thrown<precondition_error>(
                  [&] { static_cast<void>(measure_partition(rows.view(), host_view<local_id const>(fitting), 0)); }),
              "0 parts"));
  csr_view<memory_space::host> const wide(20, rows.view().offsets(), rows.view().sources());
  CHECK(names(thrown<precondition_error>(
                  [&] { static_cast<void>(measure_partition(wide, host_view<local_id const>(fitting), 2)); }),
              "3 rows", "20 columns"));
}
