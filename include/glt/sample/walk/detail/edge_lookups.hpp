// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/sample/link/detail/edge_search.hpp>

#include <span>

namespace glt::detail {

/// Question whether a row has an edge from `source`.
template <vertex_id Vertex>
struct edge_lookup {
  std::int64_t row;
  Vertex source;
  bool found;      ///< the result
  edge_offset low; ///< range that is still to be searched
  edge_offset high;
};

/// Looks up some edges together: if rows ascend, the bisections overlap their cache misses.
///
/// @pre    rows are in [0, edges.graph.num_rows()), and the lookups fit the nearest caches; not checked
/// @cost   as `edge_search`
template <memory_space Space, vertex_id Vertex>
void look_up(edge_search<Space, Vertex> const& edges, std::span<edge_lookup<Vertex>> lookups) noexcept {
  if (!edges.ascending) {
    for (auto& it : lookups) {
      it.found = edges(it.row, it.source);
    }
    return;
  }
  auto const middle = [](edge_lookup<Vertex> const& it) { return it.low + (it.high - it.low) / 2; };
  for (auto& it : lookups) {
    it.found = false;
    it.low = edges.graph.offset(it.row);
    it.high = edges.graph.offset(it.row + 1);
    prefetch(edges.graph.sources().data() + middle(it));
  }
  for (bool open = true; open;) {
    open = false;
    for (auto& it : lookups) {
      if (it.low == it.high) {
        continue;
      }
      auto const at = middle(it);
      auto const source = edges.graph.source(at);
      it.found = source == it.source;
      it.low = source < it.source ? at + 1 : it.low;
      it.high = source < it.source ? it.high : it.found ? it.low : at;
      prefetch(edges.graph.sources().data() + middle(it));
      open = true;
    }
  }
}

} // namespace glt::detail
