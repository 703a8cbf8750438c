// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt {

/// Keyed hash of the vertex: the part of any vertex is computed without a graph or communication.
///
/// Sizes of parts vary as with random draws, by about √(V / P).
struct hash_partitioner {
  std::uint64_t seed = 1;

  /// Returns the part of one vertex.
  ///
  /// @pre    num_parts is 1 or more; not checked
  [[nodiscard]] local_id part_of(global_id vertex, int num_parts) const noexcept {
    auto const word = random_key(seed).fold(static_cast<std::uint64_t>(vertex)).bits() >> 32;
    return static_cast<local_id>(word * static_cast<std::uint64_t>(num_parts) >> 32);
  }

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1 or the graph is not square
  /// @cost   O(V)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    buffer<device::cpu, local_id> parts(graph.num_rows());
    for (std::int64_t v = 0; v < parts.size(); ++v) {
      parts[v] = part_of(v, num_parts);
    }
    return parts;
  }
};

} // namespace glt
