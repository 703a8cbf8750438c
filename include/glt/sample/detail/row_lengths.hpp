// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>

namespace glt::detail {

/// Throws for a graph with a row that has more edges than a vertex id can number, as draws need. Checks only graphs
/// that the host can read.
///
/// @throws precondition_error  naming the first such row
/// @cost   O(1), or O(num_rows) if the edges of all rows are more than that
template <memory_space Space, vertex_id Vertex>
void check_row_lengths(csr_view<Space, Vertex> graph) {
  constexpr std::int64_t most = std::numeric_limits<Vertex>::max();
  if constexpr (host_accessible(Space)) {
    if (graph.num_edges() <= most) {
      return;
    }
    for (std::int64_t r = 0; r < graph.num_rows(); ++r) {
      if (graph.degree(r) > most) {
        throw precondition_error(message("row ", r, " has ", graph.degree(r), " edges, but those of a row of vertices ",
                                         "of ", 8 * sizeof(Vertex), " bits are numbered up to ", most,
                                         "; make the graph with global_id as vertices"));
      }
    }
  }
}

} // namespace glt::detail
