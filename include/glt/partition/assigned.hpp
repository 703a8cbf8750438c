// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/relabel.hpp>

namespace glt {

/// Given parts, borrowed.
struct assigned_partitioner {
  host_view<local_id const> parts{}; ///< [V]

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1, the graph is not square, there is not one part per vertex, or naming
  ///                             the first vertex whose part is not in [0, num_parts)
  /// @cost   O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    if (parts.size() != graph.num_rows()) {
      throw precondition_error(detail::message("parts of ", parts.size(), " vertices for a graph of ", graph.num_rows(),
                                               " rows; give one part per vertex"));
    }
    static_cast<void>(detail::make_partition_book(parts, num_parts));
    return make_buffer<device::cpu>(parts);
  }
};

} // namespace glt
