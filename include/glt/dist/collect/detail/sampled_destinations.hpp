// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/subgraph.hpp>

#include <vector>

namespace glt::dist {

/// The vertices at which the edges of a sample end, in its order: their owners know the edges.
template <host_policy Policy, vertex_id Vertex>
void sampled_destinations(sampled_subgraph<Policy, Vertex> const& sample, std::vector<global_id>& destinations) {
  destinations.clear();
  for (auto const place : sample.col()) {
    destinations.push_back(sample.nodes()[place]);
  }
}

} // namespace glt::dist
