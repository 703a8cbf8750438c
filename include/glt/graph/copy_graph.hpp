// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Copies a graph from ordinary memory into memory of a policy.
///
/// @where  may only enqueue; `graph` may change afterwards
/// @cost   O(num_rows + E)
template <device_policy Policy, vertex_id Vertex>
[[nodiscard]] csr_graph<Policy, Vertex> copy_graph(csr_view<memory_space::host, Vertex> graph, Policy policy = {}) {
  buffer<Policy, edge_offset> offsets = make_buffer(graph.offsets(), policy);
  buffer<Policy, Vertex> sources = make_buffer(graph.sources(), policy);
  buffer<Policy, edge_id> edge_ids = make_buffer(graph.edge_ids(), policy);
  return {graph.num_columns(), std::move(offsets), std::move(sources), std::move(edge_ids)};
}

} // namespace glt
