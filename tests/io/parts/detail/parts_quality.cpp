// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/exec/threaded.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/io/parts/detail/parts_quality.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/partition/quality/quality.hpp>

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

hetero_graph<device::cpu, global_id> graph_of(io::raw_data const& data) {
  std::vector<hetero_schema::node_type> nodes;
  std::vector<hetero_schema::edge_type> edges;
  for (auto const& table : data.nodes) {
    nodes.push_back({table.name, table.num_nodes});
  }
  for (auto const& table : data.edges) {
    edges.push_back({table.source, table.name, table.destination});
  }
  hetero_schema schema(std::move(nodes), std::move(edges));
  std::vector<csr_graph<device::cpu, global_id>> relations;
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const& table = data.edges[static_cast<std::size_t>(e)];
    relations.push_back(make_relation<device::cpu, global_id>(schema, e, host_view<global_id const>(table.sources),
                                                              host_view<global_id const>(table.destinations)));
  }
  return {std::move(schema), std::move(relations)};
}

partition_quality quality_of(io::raw_data const& data, std::vector<relabelling> const& labels) {
  std::vector<glt::partition_quality::vertex_splits> splits;
  for (auto const& nodes : data.nodes) {
    splits.push_back({nodes.train, nodes.valid, nodes.test});
  }
  return measure_partition(graph_of(data).view(), labels, {.splits = splits});
}

} // namespace

TEST_CASE("a folder is as good as the partition in memory") {
  auto const data = hetero_known_set();
  for (int const parts : {1, 2, 5, 40}) {
    CAPTURE(parts);
    auto const labels = random_labels(data, parts);
    scratch_folder const scratch;
    io::write_parts(scratch / "parts", data, labels, {});
    auto const expected = quality_of(data, labels);
    CHECK(io::detail::measure_parts(io::parts_folder(scratch / "parts")) == expected);
    glt::detail::thread_pool pool(3);
    CHECK(io::detail::measure_parts(io::parts_folder(scratch / "parts"), exec::threaded(pool)) == expected);
  }
}

TEST_CASE("a graph without types has a table without types") {
  std::mt19937 random(std::random_device{}());
  io::raw_data data;
  auto& nodes = data.nodes.emplace_back();
  nodes.name = "node";
  nodes.num_nodes = 300;
  auto& edges = data.edges.emplace_back();
  edges.source = edges.destination = "node";
  edges.name = "edge";
  for (int e = 0; e < 2000; ++e) {
    edges.sources.push_back(static_cast<global_id>(random() % 290));
    edges.destinations.push_back(static_cast<global_id>(random() % 280));
  }
  for (int i = 0; i < 50; ++i) {
    nodes.train.push_back(static_cast<global_id>(6 * i) + static_cast<global_id>(random() % 6)); // no vertex twice
  }
  auto const labels = random_labels(data, 4);
  scratch_folder const scratch;
  io::write_parts(scratch / "parts", data, labels, {});
  auto expected = quality_of(data, labels);
  expected.node_types.clear();
  expected.edge_types.clear();
  auto const measured = io::detail::measure_parts(io::parts_folder(scratch / "parts"));
  CHECK(measured == expected);
  CHECK(measured.num_cut_edges > 0);
  CHECK(measured.num_train == 50);
}
