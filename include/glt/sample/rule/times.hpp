// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

template <class Graph>
struct time_of_source {
  Graph graph;
  array_view<Graph::space, std::int64_t const> of_vertex;
  array_view<Graph::space, std::int64_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = of_vertex[graph.source(i)]; }
};

// Returns r if the times of row r descend somewhere, else the number of rows.
template <class Graph>
struct row_if_times_descend {
  Graph graph;
  array_view<Graph::space, std::int64_t const> times;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t r) const {
    for (edge_offset e = graph.offset(r) + 1; e < graph.offset(r + 1); ++e) {
      if (times[e] < times[e - 1]) {
        return r;
      }
    }
    return graph.num_rows();
  }
};

inline void check_num_times(std::int64_t times, std::int64_t edges) {
  if (times != edges) {
    throw precondition_error(
        message(times, " times for ", edges, " edges; give one time per edge, as sort_rows_by_time returns them"));
  }
}

} // namespace detail

/// Gives every edge the time of its source, for graphs whose vertices have times.
///
/// @shape  graph of E edges · of_vertex [graph.num_columns()] → [E], by position
/// @where  memory of `Policy`; enqueues on its executor
/// @pre    sources are in [0, graph.num_columns()); not checked, see `validate`
/// @throws precondition_error  if of_vertex does not have one time per column
/// @cost   O(E)
template <device_policy Policy = device::cpu, vertex_id Vertex>
[[nodiscard]] buffer<Policy, std::int64_t> make_source_times(csr_view<Policy::space, Vertex> graph,
                                                             array_view<Policy::space, std::int64_t const> of_vertex,
                                                             Policy policy = {}) {
  if (of_vertex.size() != graph.num_columns()) {
    throw precondition_error(detail::message("times of ", of_vertex.size(), " vertices for a graph of ",
                                             graph.num_columns(), " columns; give one time per vertex, or ask the ",
                                             "owners with dist::make_source_values where vertices are distributed"));
  }
  buffer<Policy, std::int64_t> times(graph.num_edges(), policy);
  policy.executor().for_each(graph.num_edges(),
                             detail::time_of_source<csr_view<Policy::space, Vertex>>{graph, of_vertex, times.view()});
  return times;
}

/// Checks untrusted times: one per edge, ascending within every row. `examiner` is an executor of the host, or the policy
/// of the memory.
///
/// @shape  graph of E edges · times [E], by position
/// @where  synchronises
/// @pre    the offsets of the graph are right; not checked, see `validate`
/// @throws precondition_error  if times has another length, or naming the first row, and the first position in it, at
///                             which an earlier time follows a later one
/// @cost   O(num_rows + E)
template <memory_space Space, vertex_id Vertex, class Examiner = exec::sequential>
  requires detail::examines<Examiner, Space>
void validate(csr_view<Space, Vertex> graph, std::type_identity_t<array_view<Space, std::int64_t const>> times,
              Examiner const& examiner = {}) {
  detail::check_num_times(times.size(), graph.num_edges());
  auto const rows = graph.num_rows();
  auto const bad = detail::executor_of(examiner).reduce(
      rows, rows, detail::row_if_times_descend<csr_view<Space, Vertex>>{graph, times}, detail::smaller{});
  if (bad < rows) {
    auto const begin = detail::look_at(examiner, graph.offsets(), bad);
    auto const time = [&](std::int64_t i) { return detail::look_at(examiner, times, begin + i); };
    std::int64_t i = 1;
    while (time(i - 1) <= time(i)) {
      ++i;
    }
    throw precondition_error(detail::message("time ", i, " of row ", bad, " is ", time(i),
                                             ", earlier than the one before it, ", time(i - 1),
                                             "; sort the rows with sort_rows_by_time"));
  }
}

} // namespace glt
