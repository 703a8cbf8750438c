// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/metis/detail/api.hpp>

namespace glt::detail {

/// Throws if a size exceeds the integers of this METIS; `what` names the size in the error.
inline void check_metis_size(std::int64_t size, char const* what) {
  if (size > std::numeric_limits<idx_t>::max()) {
    throw precondition_error(message(what, " is ", size, ", but METIS was built with ", sizeof(idx_t) * 8,
                                     "-bit integers (idx_t); partition by ldg_partitioner or fennel_partitioner, or ",
                                     "build METIS with IDXTYPEWIDTH 64"));
  }
}

/// Graph in the form of METIS: no self-loops, every edge once in the rows of both its ends, with its weight.
///
/// @shape  offsets [V + 1] · neighbors, weights [offsets[V]]
struct metis_graph {
  std::vector<idx_t> offsets;
  std::vector<idx_t> neighbors; ///< ascending in a row
  std::vector<idx_t> weights;   ///< number of edges of either direction that are merged
};

// Returns both directions of every edge; rows are not sorted.
template <class Vertex>
metis_graph both_directions(csr_view<memory_space::host, Vertex> graph) {
  metis_graph made;
  made.offsets.resize(static_cast<std::size_t>(graph.num_rows()) + 1, 0);
  auto const for_each_edge = [&](auto&& f) {
    for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
      for (auto const u : graph.row(v)) {
        if (u != v) {
          f(static_cast<std::size_t>(u), static_cast<std::size_t>(v));
        }
      }
    }
  };
  for_each_edge([&](std::size_t u, std::size_t v) {
    ++made.offsets[u + 1];
    ++made.offsets[v + 1];
  });
  for (std::size_t v = 1; v < made.offsets.size(); ++v) {
    made.offsets[v] += made.offsets[v - 1];
  }
  made.neighbors.resize(static_cast<std::size_t>(made.offsets.back()));
  std::vector<idx_t> next(made.offsets.begin(), made.offsets.end() - 1);
  for_each_edge([&](std::size_t u, std::size_t v) {
    made.neighbors[static_cast<std::size_t>(next[u]++)] = static_cast<idx_t>(v);
    made.neighbors[static_cast<std::size_t>(next[v]++)] = static_cast<idx_t>(u);
  });
  return made;
}

/// Makes the graph undirected; the number of edges between two vertices, in either direction, becomes a weight.
///
/// @pre    sources are in [0, V); not checked, see `validate`
/// @throws precondition_error  if V or twice the number of edges is more than METIS can count
/// @cost   O(V + E log degree); 16 bytes an edge with 32-bit integers
template <class Vertex>
[[nodiscard]] metis_graph make_metis_graph(csr_view<memory_space::host, Vertex> graph) {
  check_metis_size(graph.num_rows(), "number of vertices");
  if (graph.num_edges() > std::numeric_limits<std::int64_t>::max() / 2) {
    check_metis_size(graph.num_edges(), "number of edges");
  }
  check_metis_size(2 * graph.num_edges(), "twice the number of edges, one for either direction,");
  auto made = both_directions(graph);
  made.weights.resize(made.neighbors.size());
  std::size_t kept = 0;
  std::size_t first = 0; // of the row, before it was shortened
  for (std::size_t v = 0; v + 1 < made.offsets.size(); ++v) {
    auto const last = static_cast<std::size_t>(made.offsets[v + 1]);
    std::sort(made.neighbors.begin() + static_cast<std::ptrdiff_t>(first),
              made.neighbors.begin() + static_cast<std::ptrdiff_t>(last));
    auto const row = kept;
    for (; first < last; ++first) {
      if (kept > row && made.neighbors[kept - 1] == made.neighbors[first]) {
        ++made.weights[kept - 1];
      } else {
        made.neighbors[kept] = made.neighbors[first];
        made.weights[kept++] = 1;
      }
    }
    made.offsets[v + 1] = static_cast<idx_t>(kept);
  }
  made.neighbors.resize(kept);
  made.weights.resize(kept);
  return made;
}

} // namespace glt::detail
