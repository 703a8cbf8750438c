// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>

namespace glt {

namespace detail {

// p if the edge at position p has an id outside [0, bound), else the number of edges.
template <class Graph>
struct position_if_edge_outside {
  Graph graph;
  std::int64_t bound;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t p) const {
    auto const id = graph.id_of_edge(p);
    return id < 0 || id >= bound ? p : graph.num_edges();
  }
};

template <class Graph, memory_space Space, class T>
struct copy_edge_value {
  Graph graph;
  array_view<Space, T const> by_edge_id;
  array_view<Graph::space, T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t p) const { out[p] = by_edge_id[graph.id_of_edge(p)]; }
};

} // namespace detail

/// Moves one value per edge (a weight, a time) from input order to the order of a graph's rows.
///
/// The graph may be a part of a larger one: `split_graph` keeps edge ids, which count the edges of the input. A graph
/// without ids does not know the order of the input. If the values are already in row order, pass them directly to the
/// draw rule.
///
/// @shape  graph E edges · by_edge_id [edges of the input] → [E]
/// @where  by_edge_id in ordinary memory, the result in memory of `Policy`; synchronises
/// @throws precondition_error  if the graph has edges but no edge ids, or naming the first position whose edge id is
///                             outside by_edge_id
/// @cost   O(E); a copy of by_edge_id if the policy does not work on ordinary memory
template <device_policy Policy = device::cpu, memory_space Space, vertex_id Vertex, std::ranges::contiguous_range Range>
  requires(Space == Policy::space)
[[nodiscard]] auto make_edge_values(csr_view<Space, Vertex> graph, Range const& by_edge_id, Policy policy = {}) {
  using graph_type = csr_view<Space, Vertex>;
  using value = std::ranges::range_value_t<Range>;
  host_view<value const> const values(by_edge_id);
  auto const num_edges = graph.num_edges();
  if (num_edges > 0 && !graph.has_edge_ids()) {
    throw precondition_error("values by edge id for a graph without edge ids, which has forgotten the order of the "
                             "input; make it with csr_options {.edge_ids = true}, or pass values that are in the "
                             "order of its rows already directly to the rule that draws by them");
  }
  auto const ex = policy.executor();
  auto const bad = ex.reduce(num_edges, num_edges, detail::position_if_edge_outside<graph_type>{graph, values.size()},
                             detail::smaller{});
  if (bad < num_edges) {
    throw precondition_error(detail::message(
        "edge at position ", bad, " has id ", detail::look_at(policy, graph.edge_ids(), bad), ", but there are ",
        values.size(), " values; give one for every edge of the input, in its ", "order"));
  }
  buffer<Policy, value> made(num_edges, policy);
  if constexpr (host_policy<Policy>) {
    ex.for_each(num_edges, detail::copy_edge_value<graph_type, memory_space::host, value>{graph, values, made.view()});
  } else {
    auto const copied = make_buffer(values, policy);
    ex.for_each(num_edges, detail::copy_edge_value<graph_type, Space, value>{graph, copied.view(), made.view()});
  }
  return made;
}

/// Graph whose rows are in order of time, and the time of every edge.
///
/// @shape  graph of E edges, with edge ids · times [E], ascending within a row
template <device_policy Policy, vertex_id Vertex = local_id>
struct timed_rows {
  csr_graph<Policy, Vertex> graph;
  buffer<Policy, std::int64_t> times;
};

namespace detail {

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
[[nodiscard]] timed_rows<Policy, Vertex> sort_rows_by_time(csr_view<Policy::space, Vertex> graph,
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
