// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

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

} // namespace glt
