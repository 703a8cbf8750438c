// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/csr.hpp>

namespace glt {

/// Options of `make_csr` and `make_relation`.
struct csr_options {
  bool by_source = false; ///< rows are sources and list destinations; else the other way round, for neighbour sampling
  bool edge_ids = false;  ///< keep the position of every edge in the input (8 bytes an edge)
};

namespace detail {

// offsets[r] = number of sorted keys below r.
template <memory_space Space, class Vertex>
struct find_row {
  array_view<Space, Vertex const> sorted;
  array_view<Space, edge_offset> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t r) const {
    offsets[r] = first_where(0, sorted.size(), [&](edge_offset i) { return sorted[i] >= r; });
  }
};

// The stable sort by row that `make_csr` describes, with any numbers of rows and columns.
template <device_policy Policy, vertex_id Vertex>
csr_graph<Policy, Vertex>
compress_rows(std::int64_t num_rows, std::int64_t num_columns, array_view<Policy::space, Vertex const> row_ids,
              array_view<Policy::space, Vertex const> column_ids, bool edge_ids, Policy const& policy) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  auto const num_edges = row_ids.size();
  buffer<Policy, Vertex> sorted(num_edges, policy);
  buffer<Policy, Vertex> columns(num_edges, policy);
  buffer<Policy, edge_id> order(edge_ids ? num_edges : 0, policy);
  ex.for_each(num_edges, copy_elements<space, Vertex>{row_ids, sorted.view()});
  if (edge_ids) {
    ex.for_each(num_edges, count_up<space>{order.view()});
    ex.sort_by_key(sorted.view(), order.view());
    ex.for_each(num_edges,
                permute_elements<space, Vertex, edge_id>{column_ids, std::as_const(order).view(), columns.view()});
  } else {
    ex.for_each(num_edges, copy_elements<space, Vertex>{column_ids, columns.view()});
    ex.sort_by_key(sorted.view(), columns.view());
  }
  buffer<Policy, edge_offset> offsets(num_rows + 1, policy);
  ex.for_each(offsets.size(), find_row<space, Vertex>{std::as_const(sorted).view(), offsets.view()});
  return {num_columns, std::move(offsets), std::move(columns), std::move(order)};
}

} // namespace detail

/// Compresses an edge list into rows; the edges of a row keep their order in the list.
///
/// @shape  edges [E] over V vertices → V rows, V columns
/// @where  memory of `Policy`; enqueues on its executor
/// @pre    all ids are in [0, V); not checked, see `validate`
/// @cost   O(E) for the stable sort of the row ids (radix) and O(V log E); beside the result three ids an edge, or
///         with edge ids two and 8 bytes
template <device_policy Policy, vertex_id Vertex>
[[nodiscard]] csr_graph<Policy, Vertex> make_csr(coo_view<Policy::space, Vertex> edges, csr_options options = {},
                                                 Policy policy = {}) {
  bool const in = !options.by_source;
  return detail::compress_rows<Policy, Vertex>(edges.num_vertices(), edges.num_vertices(),
                                               in ? edges.destinations() : edges.sources(),
                                               in ? edges.sources() : edges.destinations(), options.edge_ids, policy);
}

/// Deleted for an owner of edges; give its view.
template <device_policy Policy, vertex_id Vertex, class Reason = detail::make_csr_takes_the_view_of_the_edges>
csr_graph<Policy, Vertex> make_csr(coo_graph<Policy, Vertex> const&, csr_options = {}, Policy = {}) = delete;

/// Treatment of edges from a vertex to itself.
enum class self_loop_handling { keep, remove };

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

/// Keeps the first occurrence of every (source, destination); the kept edges stay in order. Self-loops are kept or
/// removed.
///
/// @shape  edges [E] → at most [E]
/// @pre    all ids are in [0, V); not checked, see `validate`
/// @cost   O(E): two stable radix sorts; 25 to 33 bytes an edge beside the result
template <device_policy Policy = device::cpu, vertex_id Vertex>
[[nodiscard]] coo_graph<Policy, Vertex> remove_duplicates(coo_view<Policy::space, Vertex> edges,
                                                          self_loop_handling self_loops = self_loop_handling::keep,
                                                          Policy policy = {}) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  auto const num_edges = edges.num_edges();
  buffer<Policy, unsigned char> keep(num_edges, policy);
  buffer<Policy, edge_id> order(num_edges, policy);
  {
    buffer<Policy, Vertex> keys(num_edges, policy);
    ex.for_each(num_edges, detail::count_up<space>{order.view()});
    ex.for_each(num_edges, detail::copy_elements<space, Vertex>{edges.sources(), keys.view()});
    ex.sort_by_key(keys.view(), order.view());
    ex.for_each(num_edges, detail::permute_elements<space, Vertex, edge_id>{edges.destinations(),
                                                                            std::as_const(order).view(), keys.view()});
    ex.sort_by_key(keys.view(), order.view());
  }
  ex.for_each(num_edges, detail::flag_first_occurrence<space, Vertex>{
                             edges, std::as_const(order).view(), self_loops == self_loop_handling::keep, keep.view()});
  auto const kept = ex.select_if(num_edges, detail::is_flagged<space>{std::as_const(keep).view()}, order.view());
  buffer<Policy, Vertex> sources(kept, policy);
  buffer<Policy, Vertex> destinations(kept, policy);
  auto const chosen = std::as_const(order).view();
  ex.for_each(kept, detail::permute_elements<space, Vertex, edge_id>{edges.sources(), chosen, sources.view()});
  ex.for_each(kept,
              detail::permute_elements<space, Vertex, edge_id>{edges.destinations(), chosen, destinations.view()});
  return {edges.num_vertices(), std::move(sources), std::move(destinations)};
}

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
