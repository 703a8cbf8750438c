// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/graph/csr.hpp>

namespace glt {

namespace detail {

struct smaller {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b < a ? b : a; }
};
template <class T>
struct larger {
  GLT_HOST_DEVICE T operator()(T a, T b) const { return a < b ? b : a; }
};

// i if element i is outside [0, bound), else the length.
template <memory_space Space, class T>
struct position_if_outside {
  array_view<Space, T const> values;
  std::int64_t bound;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return values[i] < 0 || values[i] >= bound ? i : values.size();
  }
};

// r if row r ends before it begins, else the number of rows.
template <memory_space Space>
struct row_if_descending {
  array_view<Space, edge_offset const> offsets;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t r) const {
    return offsets[r + 1] < offsets[r] ? r : offsets.size() - 1;
  }
};

/// True if `Examiner` can check a graph in memory of `Space`: a host executor, or the policy of that memory.
template <class Examiner, memory_space Space>
inline constexpr bool examines = host_executor<Examiner> && reaches<Examiner, Space>;
template <device_policy Policy, memory_space Space>
inline constexpr bool examines<Policy, Space> = Policy::space == Space;

template <class Examiner>
[[nodiscard]] auto executor_of(Examiner const& examiner) {
  if constexpr (device_policy<Examiner>) {
    return examiner.executor();
  } else {
    return examiner;
  }
}

// Returns the element, wherever it is.
template <class Examiner, memory_space Space, class T>
[[nodiscard]] T look_at(Examiner const& examiner, array_view<Space, T const> values, std::int64_t i) {
  if constexpr (device_policy<Examiner>) {
    return read_element(examiner, values, i);
  } else {
    return values[i];
  }
}

template <class Examiner, memory_space Space, class Vertex>
void validate_ids(Examiner const& examiner, array_view<Space, Vertex const> ids, std::int64_t bound, char const* what) {
  auto const n = ids.size();
  auto const bad = executor_of(examiner).reduce(n, n, position_if_outside<Space, Vertex>{ids, bound}, smaller{});
  if (bad < n) {
    throw precondition_error(message(what, " ", bad, " is ", look_at(examiner, ids, bad), ", outside [0, ", bound,
                                     "), the range of vertex ids; correct the id or the number of vertices"));
  }
}

} // namespace detail

/// Checks an untrusted edge list. `examiner` is an executor of the host, or the policy of the list's
/// memory.
///
/// @where  synchronises
/// @throws precondition_error  naming the first edge whose source, else whose destination, is not in [0, V)
/// @cost   O(E)
template <memory_space Space, vertex_id Vertex, class Examiner = exec::sequential>
  requires detail::examines<Examiner, Space>
void validate(coo_view<Space, Vertex> edges, Examiner const& examiner = {}) {
  detail::validate_ids(examiner, edges.sources(), edges.num_vertices(), "source of edge");
  detail::validate_ids(examiner, edges.destinations(), edges.num_vertices(), "destination of edge");
}

/// Checks untrusted compressed rows. `examiner` is an executor of the host, or the policy of the graph's
/// memory.
///
/// @where  synchronises
/// @throws precondition_error  naming the first offset, else source, else edge id that is wrong: offsets go
///                             from 0 to E and never descend, sources are in [0, num_columns()), edge ids are
///                             0 or more
/// @cost   O(num_rows + E)
template <memory_space Space, vertex_id Vertex, class Examiner = exec::sequential>
  requires detail::examines<Examiner, Space>
void validate(csr_view<Space, Vertex> graph, Examiner const& examiner = {}) {
  auto const ex = detail::executor_of(examiner);
  auto const rows = graph.num_rows();
  auto const offsets = graph.offsets();
  if (!offsets.empty()) {
    if (auto const first = detail::look_at(examiner, offsets, 0); first != 0) {
      throw precondition_error(detail::message("row offset 0 is ", first, "; the first row begins at edge 0"));
    }
    auto const bad = ex.reduce(rows, rows, detail::row_if_descending<Space>{offsets}, detail::smaller{});
    if (bad < rows) {
      throw precondition_error(detail::message(
          "row offset ", bad + 1, " is ", detail::look_at(examiner, offsets, bad + 1),
          ", less than the one before it, ", detail::look_at(examiner, offsets, bad), "; offsets never descend"));
    }
    if (auto const last = detail::look_at(examiner, offsets, rows); last != graph.num_edges()) {
      throw precondition_error(detail::message("row offset ", rows, ", the last, is ", last, ", but there are ",
                                               graph.num_edges(), " edges; the two are equal"));
    }
  }
  detail::validate_ids(examiner, graph.sources(), graph.num_columns(), "source at position");
  auto const ids = graph.edge_ids();
  auto const bad =
      ex.reduce(ids.size(), ids.size(), detail::position_if_outside<Space, edge_id>{ids, INT64_MAX}, detail::smaller{});
  if (bad < ids.size()) {
    throw precondition_error(detail::message("edge id at position ", bad, " is ", detail::look_at(examiner, ids, bad),
                                             "; ids are 0 or more"));
  }
}

} // namespace glt
