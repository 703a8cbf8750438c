// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hetero_graphs.hpp"

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/hetero_subgraph.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace glt_test {

/// A heterogeneous batch of any policy in plain vectors, with the offsets of its blocks; for comparison.
struct copied_hetero_subgraph {
  std::vector<std::vector<std::int64_t>> types;     ///< by node type: nodes, seed_index, batch, numbers per hop
  std::vector<std::vector<std::int64_t>> relations; ///< by edge type: row, col, edge_ids, numbers and offsets per hop

  bool operator==(copied_hetero_subgraph const&) const = default;
};

template <class Policy, class Vertex>
copied_hetero_subgraph copy_subgraph(Policy const& policy, glt::hetero_subgraph<Policy, Vertex> const& of) {
  auto const wide = [&](auto const& view) {
    auto const values = glt::to_vector(policy, view);
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  copied_hetero_subgraph made;
  for (int t = 0; t < of.num_node_types(); ++t) {
    made.types.push_back(wide(of.nodes(t)));
    made.types.push_back(wide(of.seed_index(t)));
    made.types.push_back(wide(of.batch(t)));
    made.types.emplace_back(of.num_sampled_nodes(t).begin(), of.num_sampled_nodes(t).end());
  }
  for (int e = 0; e < of.num_edge_types(); ++e) {
    made.relations.push_back(wide(of.row(e)));
    made.relations.push_back(wide(of.col(e)));
    made.relations.push_back(wide(of.edge_ids(e)));
    made.relations.emplace_back(of.num_sampled_edges(e).begin(), of.num_sampled_edges(e).end());
    for (int layer = 0; layer < of.num_hops(); ++layer) {
      made.relations.push_back(wide(of.block(e, layer).offsets));
    }
  }
  return made;
}

/// Seeds of every type in memory of a policy.
template <class Policy>
struct hetero_seed_lists {
  std::vector<glt::buffer<Policy, glt::local_id>> buffers;
  std::vector<glt::array_view<Policy::space, glt::local_id const>> lists;
};

template <class Policy>
hetero_seed_lists<Policy> hetero_seed_lists_of(Policy const& policy, hetero_list const& list, std::int64_t step) {
  hetero_seed_lists<Policy> made;
  for (auto const& seeds : hetero_seeds_of(list, 1, step)) {
    made.buffers.push_back(glt::make_buffer<Policy>(std::vector<glt::local_id>(seeds.begin(), seeds.end()), policy));
    made.lists.push_back(std::as_const(made.buffers.back()).view());
  }
  return made;
}

} // namespace glt_test
