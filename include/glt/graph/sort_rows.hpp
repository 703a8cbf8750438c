// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/bisection.hpp>
#include <glt/core/detail/heap.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

/// Graph whose rows are in order of time, and the time of every edge.
///
/// @shape  graph of E edges, with edge ids · times [E], ascending within a row
template <device_policy Policy, vertex_id Vertex = local_id>
struct timed_rows {
  csr_graph<Policy, Vertex> graph;
  buffer<Policy, std::int64_t> times;
};

// Writes the positions of a row's edges in order of (time, position).
template <memory_space Space>
struct order_row {
  array_view<Space, edge_offset const> offsets;
  array_view<Space, std::int64_t const> times;
  array_view<Space, edge_offset> order;

  struct earlier {
    array_view<Space, std::int64_t const> times;
    GLT_HOST_DEVICE bool operator()(edge_offset a, edge_offset b) const noexcept {
      return times[a] != times[b] ? times[a] < times[b] : a < b;
    }
  };

  GLT_HOST_DEVICE void operator()(std::int64_t row) const {
    bool ascending = true;
    for (edge_offset e = offsets[row]; e < offsets[row + 1]; ++e) {
      order[e] = e;
      ascending = ascending && (e == offsets[row] || times[e - 1] <= times[e]);
    }
    if (!ascending) {
      heap_sort(order.data() + offsets[row], offsets[row + 1] - offsets[row], earlier{times});
    }
  }
};

// Returns the row of every edge.
template <memory_space Space>
struct row_of_place {
  array_view<Space, edge_offset const> offsets;
  array_view<Space, edge_offset const> order;
  array_view<Space, std::int64_t> rows;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    rows[i] = first_where(0, offsets.size() - 2, [&](std::int64_t row) { return offsets[row + 1] > order[i]; });
  }
};

// Writes 0, 1, 2, ….
template <memory_space Space>
struct count_up {
  array_view<Space, edge_offset> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = i; }
};

/// Writes the positions of the edges of all rows in order of (row, time, position).
///
/// @cost   on hosts nothing for rows that are in order; else two sorts of all edges, whatever the row lengths, and 16
///         bytes an edge beside the memory of the sorts
template <device_policy Policy>
void order_rows(Policy const& policy, array_view<Policy::space, edge_offset const> offsets,
                array_view<Policy::space, std::int64_t const> times, array_view<Policy::space, edge_offset> order) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  if constexpr (host_policy<Policy>) {
    ex.for_each(offsets.size() - 1, order_row<space>{offsets, times, order});
  } else {
    buffer<Policy, std::int64_t> keys(times.size(), policy);
    ex.for_each(times.size(), count_up<space>{order});
    ex.for_each(times.size(), copy_elements<space, std::int64_t>{times, keys.view()});
    ex.sort_by_key(keys.view(), order);
    ex.for_each(times.size(), row_of_place<space>{offsets, order, keys.view()});
    ex.sort_by_key(keys.view(), order); // stable: rows keep their order of time
  }
}

// Replaces positions by the ids of the edges there.
template <class Graph>
struct name_edges {
  Graph graph;
  array_view<Graph::space, edge_offset> positions;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { positions[i] = graph.id_of_edge(positions[i]); }
};

} // namespace detail

/// Puts the edges of every row in order of time; edges of equal time keep their order.
///
/// For temporal sampling. Every edge keeps the id that `id_of_edge` gives for `graph`.
///
/// @shape  graph of E edges · times [E], by position in `graph` → the same sizes
/// @units  a time is any integer, such as seconds of an epoch
/// @where  memory of `Policy`; enqueues on its executor
/// @throws precondition_error  if times does not have one element per edge
/// @cost   on hosts O(E) for rows that are in order, else O(E log degree), and no memory beside the result; on devices
///         two radix sorts of all edges, which hubs do not slow down, and 16 to 32 bytes an edge while it runs
template <device_policy Policy = device::cpu, vertex_id Vertex>
[[nodiscard]] detail::timed_rows<Policy, Vertex> sort_rows_by_time(csr_view<Policy::space, Vertex> graph,
                                                                   array_view<Policy::space, std::int64_t const> times,
                                                                   Policy policy = {}) {
  constexpr auto space = Policy::space;
  auto const num_edges = graph.num_edges();
  if (times.size() != num_edges) {
    throw precondition_error(detail::message("sorting the rows of ", num_edges, " edges by ", times.size(),
                                             " times; give one time per edge, by its position in the graph"));
  }
  auto const ex = policy.executor();
  buffer<Policy, edge_offset> offsets(graph.offsets().size(), policy);
  buffer<Policy, Vertex> sources(num_edges, policy);
  buffer<Policy, std::int64_t> sorted(num_edges, policy);
  buffer<Policy, edge_offset> order(num_edges, policy);
  detail::order_rows(policy, graph.offsets(), times, order.view());
  auto const chosen = std::as_const(order).view();
  ex.for_each(offsets.size(), detail::copy_elements<space, edge_offset>{graph.offsets(), offsets.view()});
  ex.for_each(num_edges, detail::permute_elements<space, Vertex, edge_offset>{graph.sources(), chosen, sources.view()});
  ex.for_each(num_edges, detail::permute_elements<space, std::int64_t, edge_offset>{times, chosen, sorted.view()});
  ex.for_each(num_edges, detail::name_edges<csr_view<space, Vertex>>{graph, order.view()});
  return {csr_graph<Policy, Vertex>(graph.num_columns(), std::move(offsets), std::move(sources), std::move(order)),
          std::move(sorted)};
}

} // namespace glt
