// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/quality/quality.hpp>

#include "graphs.hpp"
#include "hetero_parts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// The quality of a random partition of a random graph, with seeds.
inline glt::partition_quality random_quality(int parts, std::int64_t num_vertices = 1009) {
  auto const rows = glt::make_csr<glt::device::cpu>(random_graph(num_vertices, 9 * num_vertices).view());
  std::vector<glt::global_id> train;
  std::vector<glt::global_id> test;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    (v % 3 == 0 ? train : test).push_back(v);
  }
  return glt::measure_partition(rows.view(), glt::random_partitioner{}(rows.view(), parts).view(), parts,
                                {.splits = {.train = train, .test = test}});
}

/// The quality of a partition of a heterogeneous graph.
inline glt::partition_quality academic_quality(int parts) {
  divided_hetero_graph const divided(academic_graph(301), parts, 1);
  return glt::measure_partition(divided.whole.view(), divided.names);
}

/// Many types, with names that are long, foreign and full of what text formats reserve.
inline glt::partition_quality awkward_quality(int parts) {
  std::vector<glt::hetero_schema::node_type> nodes{
      {"<a & \"b\">", 12}, {std::string(60, 'w'), 9}, {"Straße", 5}, {"bad \xFF\x01", 7}};
  for (int i = 0; i < 9; ++i) {
    nodes.push_back({"type " + std::to_string(i), 3 + i});
  }
  std::vector<glt::hetero_schema::edge_type> edges;
  for (std::size_t t = 0; t < 2 * nodes.size(); ++t) {
    edges.push_back({nodes[t % nodes.size()].name, "r" + std::to_string(t), nodes[0].name});
  }
  divided_hetero_graph const divided(random_hetero_graph(std::move(nodes), std::move(edges), 50), parts);
  return glt::measure_partition(divided.whole.view(), divided.names);
}

} // namespace glt_test
