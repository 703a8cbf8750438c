// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

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

// Checks times; copy(view) returns a vector with the elements of a view in any memory.
template <class Executor, memory_space Space, class Vertex, class Copy>
void check_times(Executor const& ex, csr_view<Space, Vertex> graph, array_view<Space, std::int64_t const> times,
                 Copy const& copy) {
  check_num_times(times.size(), graph.num_edges());
  auto const rows = graph.num_rows();
  auto const bad = ex.reduce(rows, rows, row_if_times_descend<csr_view<Space, Vertex>>{graph, times}, smaller{});
  if (bad < rows) {
    auto const ends = copy(graph.offsets().subview(bad, 2));
    auto const of_row = copy(times.subview(ends[0], ends[1] - ends[0]));
    std::size_t i = 1;
    while (of_row[i - 1] <= of_row[i]) {
      ++i;
    }
    throw precondition_error(message("time ", i, " of row ", bad, " is ", of_row[i],
                                     ", earlier than the one before it, ", of_row[i - 1],
                                     "; sort the rows with sort_rows_by_time"));
  }
}

} // namespace detail

/// Checks untrusted times: one per edge, ascending within every row.
///
/// @shape  graph of E edges · times [E], by position
/// @pre    the offsets of the graph are right; not checked, see `validate`
/// @throws precondition_error  if times has another length, or naming the first row, and the first position in it, at
///                             which an earlier time follows a later one
/// @cost   O(num_rows + E)
template <memory_space Space, vertex_id Vertex, reaches<Space> Executor = exec::sequential>
  requires(detail::host_accessible(Space))
void validate(csr_view<Space, Vertex> graph, array_view<Space, std::int64_t const> times, Executor const& ex = {}) {
  detail::check_times(ex, graph, times,
                      [](auto view) { return std::vector<std::int64_t>(view.data(), view.data() + view.size()); });
}

/// Checks times in memory of a policy.
///
/// @where  synchronises
template <device_policy Policy, vertex_id Vertex>
void validate(Policy const& policy, csr_view<Policy::space, Vertex> graph,
              std::type_identity_t<array_view<Policy::space, std::int64_t const>> times) {
  detail::check_times(policy.executor(), graph, times, [&](auto view) { return to_vector(policy, view); });
}

} // namespace glt
