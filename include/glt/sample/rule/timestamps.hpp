// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace glt {

namespace detail {

template <class Graph>
struct time_of_source {
  Graph graph;
  array_view<Graph::space, std::int64_t const> of_vertex;
  array_view<Graph::space, std::int64_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = of_vertex[graph.source(i)]; }
};

// r if the times of row r descend somewhere, else the number of rows.
template <class Graph>
struct row_if_untimely {
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
    throw precondition_error(message(times, " times for ", edges,
                                     " edges; give one time per edge, as sort_rows_by_time returns them"));
  }
}

// Names the first time of a row that is earlier than the one before it.
[[noreturn]] inline void refuse_times(std::int64_t row, host_view<std::int64_t const> times) {
  std::int64_t i = 1;
  while (times[i - 1] <= times[i]) {
    ++i;
  }
  throw precondition_error(message("time ", i, " of row ", row, " is ", times[i], ", earlier than the one before it, ",
                                   times[i - 1], "; sort the rows with sort_rows_by_time"));
}

} // namespace detail

/// Gives every edge the time of its source, for graphs whose vertices have times.
///
/// @shape  graph of E edges · of_vertex [graph.num_columns()] → [E], by position
/// @where  memory of `Policy`; enqueues on its executor
/// @pre    sources are in [0, graph.num_columns()); not checked, see `validate`
/// @throws precondition_error  if of_vertex has not one time per column
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
  policy.executor().for_each(graph.num_edges(), detail::time_of_source<csr_view<Policy::space, Vertex>>{
                                                    graph, of_vertex, times.view()});
  return times;
}

/// Checks times that nobody vouches for: one per edge, ascending within every row.
///
/// @shape  graph of E edges · times [E], by position
/// @pre    the offsets of the graph are right; not checked, see `validate`
/// @throws precondition_error  if times has another length, or naming the first row, and the first position
///                             in it, at which an earlier time follows a later one
/// @cost   O(num_rows + E)
template <memory_space Space, vertex_id Vertex, reaches<Space> Executor = exec::sequential>
  requires(host_accessible(Space))
void validate_times(csr_view<Space, Vertex> graph, array_view<Space, std::int64_t const> times,
                    Executor const& ex = {}) {
  detail::check_num_times(times.size(), graph.num_edges());
  auto const rows = graph.num_rows();
  auto const bad = ex.reduce(rows, rows, detail::row_if_untimely<csr_view<Space, Vertex>>{graph, times},
                             detail::smaller{});
  if (bad < rows) {
    detail::refuse_times(bad, host_view<std::int64_t const>(times.data() + graph.offset(bad), graph.degree(bad)));
  }
}

/// The same for times in memory of a policy, wherever that is.
///
/// @where  synchronises
template <device_policy Policy, vertex_id Vertex>
void validate_times(Policy const& policy, csr_view<Policy::space, Vertex> graph,
                    std::type_identity_t<array_view<Policy::space, std::int64_t const>> times) {
  if constexpr (host_policy<Policy>) {
    validate_times(graph, times, policy.executor());
  } else {
    detail::check_num_times(times.size(), graph.num_edges());
    auto const rows = graph.num_rows();
    auto const bad = policy.executor().reduce(
        rows, rows, detail::row_if_untimely<csr_view<Policy::space, Vertex>>{graph, times}, detail::smaller{});
    if (bad < rows) {
      auto const first = read_element(policy, graph.offsets(), bad);
      auto const end = read_element(policy, graph.offsets(), bad + 1);
      detail::refuse_times(bad, to_vector(policy, times.subview(first, end - first)));
    }
  }
}

} // namespace glt
