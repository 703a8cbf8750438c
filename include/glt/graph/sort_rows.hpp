// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/heap.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <utility>

namespace glt {

namespace detail {

/// A graph whose rows are in order of time, and the time of every edge.
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
/// For temporal sampling. The ids of the edges stay what `id_of_edge` gives for `graph`.
///
/// @shape  graph of E edges · times [E], by position in `graph` → the same sizes
/// @units  a time is any integer, such as seconds of an epoch
/// @where  memory of `Policy`; enqueues on its executor
/// @throws precondition_error  if times does not have one element per edge
/// @cost   O(E) for rows that are in order, else O(E log degree); no memory beside the result
template <device_policy Policy = device::cpu, vertex_id Vertex>
[[nodiscard]] detail::timed_rows<Policy, Vertex>
sort_rows_by_time(csr_view<Policy::space, Vertex> graph, array_view<Policy::space, std::int64_t const> times,
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
  ex.for_each(graph.num_rows(), detail::order_row<space>{graph.offsets(), times, order.view()});
  auto const chosen = std::as_const(order).view();
  ex.for_each(offsets.size(), detail::copy_elements<space, edge_offset>{graph.offsets(), offsets.view()});
  ex.for_each(num_edges,
              detail::permute_elements<space, Vertex, edge_offset>{graph.sources(), chosen, sources.view()});
  ex.for_each(num_edges, detail::permute_elements<space, std::int64_t, edge_offset>{times, chosen, sorted.view()});
  ex.for_each(num_edges, detail::name_edges<csr_view<space, Vertex>>{graph, order.view()});
  return {csr_graph<Policy, Vertex>(graph.num_columns(), std::move(offsets), std::move(sources), std::move(order)),
          std::move(sorted)};
}

} // namespace glt
