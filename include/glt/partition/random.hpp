// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/detail/random_permutation.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt {

/// Partitioner into equal shares of a keyed shuffle of the vertices; sizes differ by at most one vertex.
struct random_partitioner {
  std::uint64_t seed = 1;

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1 or the graph is not square
  /// @cost   O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    auto const n = graph.num_rows();
    auto const order = detail::make_random_permutation<Vertex>(n, random_key(seed));
    return detail::equal_shares(n, num_parts, [&](std::int64_t place) { return order[place]; });
  }
};

} // namespace glt
