// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

template <memory_space Space, class Vertex>
struct is_proper_edge {
  coo_view<Space, Vertex> edges;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const { return edges.sources()[i] != edges.destinations()[i]; }
};

// The edges as they are, then the chosen ones with their ends swapped.
template <memory_space Space, class Vertex>
struct append_reversed {
  coo_view<Space, Vertex> edges;
  array_view<Space, edge_id const> proper;
  array_view<Space, Vertex> sources;
  array_view<Space, Vertex> destinations;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    bool const reversed = i >= edges.num_edges();
    auto const edge = reversed ? proper[i - edges.num_edges()] : i;
    sources[i] = reversed ? edges.destinations()[edge] : edges.sources()[edge];
    destinations[i] = reversed ? edges.sources()[edge] : edges.destinations()[edge];
  }
};

} // namespace detail

/// Makes every edge go both ways: the E edges in their order, then their reverses in the same order.
///
/// Self-loops are their own reverse and appear once. Edges that went both ways before are doubled;
/// `remove_duplicates` makes the result simple.
///
/// @shape  edges [E] → [2 E − number of self-loops]
/// @cost   O(E); 8 bytes an edge beside the result
template <device_policy Policy = device::cpu, vertex_id Vertex>
[[nodiscard]] coo_graph<Policy, Vertex> symmetrize(coo_view<Policy::space, Vertex> edges, Policy policy = {}) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  buffer<Policy, edge_id> proper(edges.num_edges(), policy);
  auto const reversed = ex.select_if(edges.num_edges(), detail::is_proper_edge<space, Vertex>{edges}, proper.view());
  auto const total = edges.num_edges() + reversed;
  buffer<Policy, Vertex> sources(total, policy);
  buffer<Policy, Vertex> destinations(total, policy);
  ex.for_each(total, detail::append_reversed<space, Vertex>{edges, std::as_const(proper).view(), sources.view(),
                                                            destinations.view()});
  return {edges.num_vertices(), std::move(sources), std::move(destinations)};
}

} // namespace glt
