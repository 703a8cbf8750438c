// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Small value that assigns every vertex of a graph to a part.
///
/// Models: `contiguous_partitioner`, `random_partitioner`, `hash_partitioner`, `assigned_partitioner`,
/// `ldg_partitioner`, `fennel_partitioner`, `dist::frequency_partitioner`, `metis_partitioner`.
///
/// - `p(graph, num_parts)`: the part of every vertex, [V], in [0, num_parts); the same for the same options
///   and graph. Throws `precondition_error` if num_parts < 1 or the graph is not square. Parts may stay
///   empty.
template <class P, class Vertex = local_id>
concept partitioner =
    std::copyable<P> && requires(P const& p, csr_view<memory_space::host, Vertex> graph, int num_parts) {
      { p(graph, num_parts) } -> std::same_as<buffer<device::cpu, local_id>>;
    };

namespace detail {

inline void check_num_parts(int num_parts) {
  if (num_parts < 1) {
    throw precondition_error(message("partition into ", num_parts, " parts; ask for 1 or more"));
  }
}

template <class Vertex>
void check_partition(csr_view<memory_space::host, Vertex> graph, int num_parts) {
  check_num_parts(num_parts);
  if (graph.num_rows() != graph.num_columns()) {
    throw precondition_error(message("partition of a graph of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                     " columns; only a whole graph, with as many of each, can be partitioned"));
  }
}

// Returns the first place of a part: places [first_place(p), first_place(p + 1)) belong to part p; sizes differ by at
// most 1.
inline std::int64_t first_place(std::int64_t n, int num_parts, int part) {
  auto const larger = n % num_parts;
  return n / num_parts * part + (part < larger ? part : larger);
}

// Assigns places 0 … n − 1 to the parts in equal ranges; vertex_at(place) is the vertex at a place.
template <class VertexAt>
buffer<device::cpu, local_id> equal_shares(std::int64_t n, int num_parts, VertexAt vertex_at) {
  buffer<device::cpu, local_id> part_of(n);
  for (int part = 0; part < num_parts; ++part) {
    auto const last = first_place(n, num_parts, part + 1);
    for (auto place = first_place(n, num_parts, part); place < last; ++place) {
      part_of[vertex_at(place)] = part;
    }
  }
  return part_of;
}

} // namespace detail

} // namespace glt
