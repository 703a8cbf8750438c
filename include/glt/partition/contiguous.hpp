// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/partitioner.hpp>

#include <cstdint>

namespace glt {

/// Equal ranges of ids, in order; sizes differ by at most one vertex. Relabelling then changes nothing.
struct contiguous_partitioner {
  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1 or the graph is not square
  /// @cost   O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    return detail::equal_shares(graph.num_rows(), num_parts, [](std::int64_t place) { return place; });
  }
};

} // namespace glt
