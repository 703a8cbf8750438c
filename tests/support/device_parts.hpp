// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/split.hpp>
#include <glt/sample/subgraph.hpp>

#include "naive_sampler.hpp"
#include "parts.hpp"
#include "policies.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt_test {

/// The part of a rank in memory of a policy.
template <class Policy, class Vertex>
glt::graph_part<Policy, Vertex> device_part(divided_graph const& divided, int rank, Policy const& policy) {
  auto const part = divided.part<Vertex>(rank);
  return {part.book, part.part, glt::copy<Policy>(part.graph.view(), policy),
          glt::make_buffer<Policy>(part.original.view(), policy)};
}

/// The features of a rank in memory of a policy.
template <class Policy>
glt::feature_store<Policy, float> device_features(divided_graph const& divided, int rank, std::int64_t columns,
                                                  bool labels, Policy const& policy) {
  auto const store = divided.features(rank, columns, labels);
  auto const rows = store.view();
  return {rows.num_vertices(), columns, glt::make_buffer<Policy>(rows.features.flat(), policy),
          glt::make_buffer<Policy>(rows.labels, policy)};
}

/// As `plain`, of a subgraph in memory of a policy; nodes are ids of the edge list.
template <class Policy, class Vertex>
naive_subgraph plain_copy(Policy const& policy, glt::sampled_subgraph<Policy, Vertex> const& out,
                          glt::buffer<cpu, glt::global_id> const& original) {
  auto const wide = [&](auto view) {
    auto const values = glt::to_vector(policy, view);
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  naive_subgraph made{.nodes = wide(out.nodes()),
                      .seed_index = wide(out.seed_index()),
                      .row = wide(out.row()),
                      .col = wide(out.col()),
                      .edge_ids = wide(out.edge_ids()),
                      .num_sampled_nodes = {out.num_sampled_nodes().begin(), out.num_sampled_nodes().end()},
                      .num_sampled_edges = {out.num_sampled_edges().begin(), out.num_sampled_edges().end()},
                      .batch = wide(out.batch())};
  for (auto& node : made.nodes) {
    node = original[node];
  }
  return made;
}

} // namespace glt_test
