// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// End of an edge that selects the row.
enum class edge_direction {
  in, ///< rows are destinations, columns are sources: for neighbour sampling
  out ///< rows are sources, columns are destinations
};

/// Options of `make_csr`.
struct csr_options {
  edge_direction direction = edge_direction::in;
  bool edge_ids = false; ///< keep the position of every edge in the input (8 bytes an edge)
};

namespace detail {

template <memory_space Space>
struct number_edges {
  array_view<Space, edge_id> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = i; }
};

template <memory_space Space, class T>
struct copy_elements {
  array_view<Space, T const> in;
  array_view<Space, T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = in[i]; }
};

template <memory_space Space, class T, class Index>
struct permute_elements {
  array_view<Space, T const> in;
  array_view<Space, Index const> order;
  array_view<Space, T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = in[order[i]]; }
};

// offsets[r] = number of sorted keys below r.
template <memory_space Space, class Vertex>
struct find_row {
  array_view<Space, Vertex const> sorted;
  array_view<Space, edge_offset> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t r) const {
    edge_offset low = 0;
    edge_offset high = sorted.size();
    while (low < high) {
      edge_offset const middle = low + (high - low) / 2;
      if (sorted[middle] < r) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    offsets[r] = low;
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
    ex.for_each(num_edges, number_edges<space>{order.view()});
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
  bool const in = options.direction == edge_direction::in;
  return detail::compress_rows<Policy, Vertex>(edges.num_vertices(), edges.num_vertices(),
                                               in ? edges.destinations() : edges.sources(),
                                               in ? edges.sources() : edges.destinations(), options.edge_ids, policy);
}

/// Catches calls with an owner of edges, and says to pass a view.
template <device_policy Policy, vertex_id Vertex>
csr_graph<Policy, Vertex> make_csr(coo_graph<Policy, Vertex> const&, csr_options = {}, Policy = {}) {
  static_assert(detail::never<Policy>, "make_csr takes a view of the edges: make_csr<Policy>(edges.view())");
  return {};
}

} // namespace glt
