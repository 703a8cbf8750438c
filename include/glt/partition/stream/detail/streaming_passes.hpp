// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/detail/random_permutation.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/stream/detail/vertex_stream.hpp>
#include <glt/partition/stream/stream_order.hpp>

namespace glt::detail {

// Sends a whole graph through a stream, `passes` times.
template <class Rule, class Vertex>
buffer<device::cpu, local_id> stream_graph(vertex_stream<Rule> stream, csr_view<memory_space::host, Vertex> graph,
                                           stream_order order, std::uint64_t seed, int passes) {
  if (passes < 1) {
    throw precondition_error(message("stream of a graph with ", passes, " passes; there is at least 1"));
  }
  buffer<device::cpu, Vertex> shuffled;
  if (order == stream_order::random) {
    shuffled = make_random_permutation<Vertex>(graph.num_rows(), random_key(seed));
  }
  for (int pass = 0; pass < passes; ++pass) {
    if (pass > 0) {
      stream.restart();
    }
    if (order == stream_order::random) {
      stream.place_rows(graph, std::as_const(shuffled).view());
    } else {
      stream.place_rows(0, graph);
    }
  }
  return std::move(stream).result();
}

} // namespace glt::detail
