// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/relabel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt {

/// How good an assignment of vertices to parts is.
struct partition_quality {
  std::int64_t num_edges = 0;
  std::int64_t num_cut_edges = 0; ///< edges whose ends are in different parts
  std::int64_t smallest_part = 0; ///< vertices
  std::int64_t largest_part = 0;  ///< vertices
  std::int64_t most_edges = 0;    ///< edges into the vertices of one part
};

/// Counts cut edges and the sizes of the parts in vertices and edges.
///
/// @shape  part_of [V], in [0, num_parts)
/// @pre    sources are in [0, V); not checked, see `validate`
/// @throws precondition_error  if num_parts < 1, the graph is not square, part_of has not one element per
///                             row, or names a part outside [0, num_parts)
/// @cost   O(V + E)
template <vertex_id Vertex>
[[nodiscard]] partition_quality measure_partition(csr_view<memory_space::host, Vertex> graph,
                                                  host_view<local_id const> part_of, int num_parts) {
  detail::check_partition(graph, num_parts);
  if (part_of.size() != graph.num_rows()) {
    throw precondition_error(detail::message("parts of ", part_of.size(), " vertices for a graph of ",
                                             graph.num_rows(), " rows; give one part per vertex"));
  }
  auto const book = make_partition_book(part_of, num_parts);
  partition_quality quality{.num_edges = graph.num_edges(), .smallest_part = book.size(0)};
  for (int part = 0; part < num_parts; ++part) {
    quality.smallest_part = std::min(quality.smallest_part, book.size(part));
    quality.largest_part = std::max(quality.largest_part, book.size(part));
  }
  std::vector<std::int64_t> edges(static_cast<std::size_t>(num_parts), 0);
  for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
    edges[static_cast<std::size_t>(part_of[v])] += graph.degree(v);
    for (auto const u : graph.row(v)) {
      quality.num_cut_edges += part_of[u] != part_of[v] ? 1 : 0;
    }
  }
  quality.most_edges = std::ranges::max(edges);
  return quality;
}

} // namespace glt
