// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/peers/peer_partition.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "peer_folders.hpp"

namespace glt_test {

/// Checks that what was read is the graph, in its original ids, with its features and its partition.
inline void check_same(glt::io::peer_partition const& read, peer_graph const& graph, std::string const& node_feature,
                       std::string const& edge_feature) {
  CHECK(read.num_parts == graph.num_parts);
  REQUIRE(read.data.nodes.size() == graph.node_types.size());
  REQUIRE(read.assignment.size() == graph.node_types.size());
  REQUIRE(read.data.edges.size() == graph.edge_types.size());
  auto const floats = [](glt::io::named_array const& feature) {
    auto const values = feature.values.values<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  for (std::size_t t = 0; t < graph.node_types.size(); ++t) {
    auto const& table = read.data.nodes[t];
    CHECK(table.name == graph.node_types[t].name);
    CHECK(table.num_nodes == std::ssize(graph.node_types[t].part));
    CHECK(std::vector<std::int64_t>(read.assignment[t].begin(), read.assignment[t].end()) == graph.node_types[t].part);
    REQUIRE(table.features.size() == (graph.node_types[t].features.empty() ? 0 : 1));
    if (!table.features.empty()) {
      CHECK(table.features[0].name == node_feature);
      CHECK(table.features[0].values.shape() == std::vector<std::int64_t>{table.num_nodes, 2});
      CHECK(floats(table.features[0]) == graph.node_types[t].features);
    }
  }
  for (std::size_t t = 0; t < graph.edge_types.size(); ++t) {
    auto const& table = read.data.edges[t];
    CHECK(table.source == graph.node_types[graph.edge_types[t].source].name);
    CHECK(table.name == graph.edge_types[t].name);
    CHECK(table.destination == graph.node_types[graph.edge_types[t].destination].name);
    CHECK(table.sources == graph.edge_types[t].rows);
    CHECK(table.destinations == graph.edge_types[t].cols);
    REQUIRE(table.features.size() == (graph.edge_types[t].features.empty() ? 0 : 1));
    if (!table.features.empty()) {
      CHECK(table.features[0].name == edge_feature);
      CHECK(floats(table.features[0]) == graph.edge_types[t].features);
    }
  }
}

} // namespace glt_test
