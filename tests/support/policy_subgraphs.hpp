// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstdint>
#include <vector>

namespace glt_test {

/// A sampled subgraph of any policy in plain vectors, with its blocks; for comparison.
struct copied_subgraph {
  std::vector<std::vector<std::int64_t>> arrays; ///< nodes, seed_index, batch, row, col, edge_ids, numbers per hop
  std::vector<std::vector<std::int64_t>> blocks; ///< per layer: sizes, offsets, row, col, edge_ids

  bool operator==(copied_subgraph const&) const = default;
};

template <class Policy, class Vertex>
copied_subgraph copy_subgraph(Policy const& policy, glt::sampled_subgraph<Policy, Vertex> const& of) {
  auto const wide = [&](auto const& view) {
    auto const values = glt::to_vector(policy, view);
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  copied_subgraph made;
  made.arrays = {wide(of.nodes()),
                 wide(of.seed_index()),
                 wide(of.batch()),
                 wide(of.row()),
                 wide(of.col()),
                 wide(of.edge_ids()),
                 {of.num_sampled_nodes().begin(), of.num_sampled_nodes().end()},
                 {of.num_sampled_edges().begin(), of.num_sampled_edges().end()}};
  for (int layer = 0; layer < of.num_hops(); ++layer) {
    auto const block = of.block(layer);
    made.blocks.push_back({block.num_sources, block.num_destinations});
    made.blocks.push_back(wide(block.offsets));
    made.blocks.push_back(wide(block.row));
    made.blocks.push_back(wide(block.col));
    made.blocks.push_back(wide(block.edge_ids));
  }
  return made;
}

} // namespace glt_test
