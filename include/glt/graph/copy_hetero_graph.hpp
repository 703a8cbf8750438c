// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/copy_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Copies a heterogeneous graph from ordinary memory into memory of a policy.
///
/// @where  may only enqueue; `graph` may change afterwards
/// @cost   O(V + E)
template <device_policy Policy, vertex_id Vertex>
[[nodiscard]] hetero_graph<Policy, Vertex> copy_graph(hetero_view<memory_space::host, Vertex> graph,
                                                      Policy policy = {}) {
  std::vector<csr_graph<Policy, Vertex>> relations;
  for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
    relations.push_back(copy_graph<Policy>(graph.relation(e), policy));
  }
  return {graph.schema(), std::move(relations)};
}

} // namespace glt
