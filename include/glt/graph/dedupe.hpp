// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Treatment of edges from a vertex to itself.
enum class self_loop_handling { keep, remove };

/// Options of `remove_duplicates`.
struct dedupe_options {
  self_loop_handling self_loops = self_loop_handling::keep;
};

namespace detail {

// Marks the first of every run of equal edges in an order that is sorted by both ends and stable.
template <memory_space Space, class Vertex>
struct flag_first_occurrence {
  coo_view<Space, Vertex> edges;
  array_view<Space, edge_id const> order;
  bool self_loops;
  array_view<Space, unsigned char> keep;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const edge = order[i];
    auto const source = edges.sources()[edge];
    auto const destination = edges.destinations()[edge];
    bool const again =
        i > 0 && edges.sources()[order[i - 1]] == source && edges.destinations()[order[i - 1]] == destination;
    keep[edge] = !again && (self_loops || source != destination) ? 1 : 0;
  }
};

template <memory_space Space>
struct is_flagged {
  array_view<Space, unsigned char const> keep;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const { return keep[i] != 0; }
};

} // namespace detail

/// Keeps the first occurrence of every (source, destination); the kept edges stay in order.
///
/// @shape  edges [E] → at most [E]
/// @pre    all ids are in [0, V); not checked, see `validate`
/// @cost   O(E): two stable radix sorts; 25 to 33 bytes an edge beside the result
template <device_policy Policy = device::cpu, vertex_id Vertex>
[[nodiscard]] coo_graph<Policy, Vertex> remove_duplicates(coo_view<Policy::space, Vertex> edges,
                                                          dedupe_options options = {}, Policy policy = {}) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  auto const num_edges = edges.num_edges();
  buffer<Policy, unsigned char> keep(num_edges, policy);
  buffer<Policy, edge_id> order(num_edges, policy);
  {
    buffer<Policy, Vertex> keys(num_edges, policy);
    ex.for_each(num_edges, detail::number_edges<space>{order.view()});
    ex.for_each(num_edges, detail::copy_elements<space, Vertex>{edges.sources(), keys.view()});
    ex.sort_by_key(keys.view(), order.view());
    ex.for_each(num_edges, detail::permute_elements<space, Vertex, edge_id>{edges.destinations(),
                                                                            std::as_const(order).view(), keys.view()});
    ex.sort_by_key(keys.view(), order.view());
  }
  ex.for_each(num_edges, detail::flag_first_occurrence<space, Vertex>{edges, std::as_const(order).view(),
                                                                      options.self_loops == self_loop_handling::keep,
                                                                      keep.view()});
  auto const kept = ex.select_if(num_edges, detail::is_flagged<space>{std::as_const(keep).view()}, order.view());
  buffer<Policy, Vertex> sources(kept, policy);
  buffer<Policy, Vertex> destinations(kept, policy);
  auto const chosen = std::as_const(order).view();
  ex.for_each(kept, detail::permute_elements<space, Vertex, edge_id>{edges.sources(), chosen, sources.view()});
  ex.for_each(kept,
              detail::permute_elements<space, Vertex, edge_id>{edges.destinations(), chosen, destinations.view()});
  return {edges.num_vertices(), std::move(sources), std::move(destinations)};
}

} // namespace glt
