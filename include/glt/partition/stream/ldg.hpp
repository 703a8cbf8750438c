// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/stream/detail/streaming_passes.hpp>
#include <glt/partition/stream/detail/vertex_capacity.hpp>
#include <glt/partition/stream/detail/vertex_stream.hpp>
#include <glt/partition/stream/stream_order.hpp>

namespace glt {

namespace detail {

// Score: neighbours times free places.
struct ldg_rule {
  std::int64_t limit;

  [[nodiscard]] std::int64_t capacity() const noexcept { return limit; }
  [[nodiscard]] double level(std::int64_t size) const noexcept { return static_cast<double>(limit - size); }
  // Counts are below 2^53, so the products and the result are the same on all machines.
  [[nodiscard]] double score(std::int64_t neighbors, double free_places) const noexcept {
    return static_cast<double>(neighbors) * free_places;
  }
};

} // namespace detail

/// Linear deterministic greedy: vertices arrive one by one, and each goes to the part that holds most of its
/// in-neighbours, weighted by the part's free room.
///
/// Ties go to the smaller part, then to the lower one. Every further pass repeats the stream with the assignment of the
/// previous pass, which lowers the edge cut.
///
/// @source Stanton & Kliot, "Streaming graph partitioning for large distributed graphs", KDD 2012; further
///         passes: Nishimura & Ugander, "Restreaming graph partitioning", KDD 2013
struct ldg_partitioner {
  std::uint64_t seed = 1;
  double capacity_slack = 0.05; ///< a part has at most (1 + slack) · V / P vertices, rounded up
  int passes = 5;
  stream_order order = stream_order::random;
  balance_constraints balance{}; ///< kept, like the capacity, if a part has room; see `vertex_stream`

  /// @shape  graph [V] rows → [V]
  /// @pre    sources are in [0, V); not checked, see `validate`
  /// @throws precondition_error  if num_parts or passes < 1, capacity_slack is negative, the graph is not
  ///                             square, or `balance` is wrong
  /// @cost   O(passes · (V + E) + P); memory O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    return detail::stream_graph(stream(graph.num_rows(), num_parts), graph, order, seed, passes);
  }

  /// Makes a stream for a graph that comes row by row, in the caller's order and passes.
  ///
  /// @throws precondition_error  if num_vertices is negative, num_parts < 1, capacity_slack is negative, or
  ///                             `balance` is wrong
  [[nodiscard]] detail::vertex_stream<detail::ldg_rule> stream(std::int64_t num_vertices, int num_parts) const {
    auto const capacity = detail::vertex_capacity("LDG", num_vertices, capacity_slack, num_parts);
    return {{capacity}, num_vertices, num_parts, balance};
  }
};

} // namespace glt
