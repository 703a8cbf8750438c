// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

template <class Graph>
struct row_ascends {
  Graph graph;
  GLT_HOST_DEVICE bool operator()(std::int64_t row) const {
    for (edge_offset e = graph.offset(row) + 1; e < graph.offset(row + 1); ++e) {
      if (graph.source(e) < graph.source(e - 1)) {
        return false;
      }
    }
    return true;
  }
};

inline constexpr int search_block = 32;

// True if a block of sources holds `source`. Fixed length, no early exit and a sum as wide as an id, so that compilers
// use vector instructions.
template <class Vertex>
[[nodiscard]] GLT_HOST_DEVICE constexpr bool block_holds(Vertex const* block, Vertex source) noexcept {
  Vertex hits = 0;
  for (int i = 0; i < search_block; ++i) {
    hits |= static_cast<Vertex>(-static_cast<Vertex>(block[i] == source));
  }
  return hits != 0;
}

struct both {
  GLT_HOST_DEVICE bool operator()(bool a, bool b) const { return a && b; }
};

/// True if every row lists its sources in ascending order, duplicates allowed: edges are then found faster.
///
/// @where  synchronises
/// @cost   O(E), one pass
template <executor Executor, memory_space Space, vertex_id Vertex>
  requires reaches<Executor, Space>
[[nodiscard]] bool rows_ascend(Executor const& ex, csr_view<Space, Vertex> graph) {
  return ex.reduce(graph.num_rows(), true, detail::row_ascends<csr_view<Space, Vertex>>{graph}, detail::both{});
}

/// Functor that tells whether an edge is in a graph.
///
/// @cost   a look-up O(degree of the row), in steps of 32 edges, or O(log degree) if rows ascend
template <memory_space Space, vertex_id Vertex>
struct edge_search {
  csr_view<Space, Vertex> graph;
  bool ascending = false; ///< result of `rows_ascend`

  /// @pre    row is in [0, graph.num_rows()); not checked
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool operator()(std::int64_t row, Vertex source) const noexcept {
    edge_offset first = graph.offset(row);
    edge_offset last = graph.offset(row + 1);
    if (ascending) {
      first = detail::first_where(first, last, [&](edge_offset e) { return graph.source(e) >= source; });
      return first < last && graph.source(first) == source;
    }
    for (; last - first >= detail::search_block; first += detail::search_block) {
      if (detail::block_holds(graph.sources().data() + first, source)) {
        return true;
      }
    }
    for (; first < last; ++first) {
      if (graph.source(first) == source) {
        return true;
      }
    }
    return false;
  }
};

} // namespace glt::detail
