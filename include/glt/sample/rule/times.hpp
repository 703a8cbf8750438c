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

} // namespace detail

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
                                             "; make the parts again if an earlier version made them, or sort the rows "
                                             "with sort_rows_by_time"));
  }
}

} // namespace glt
