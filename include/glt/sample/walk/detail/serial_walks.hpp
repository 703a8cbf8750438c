// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/detail/walk_kernel.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::detail {

/// All rows of a graph, with the numbers of its vertices. The class for a part's rows has the same members.
template <memory_space Space, vertex_id Vertex>
struct all_rows {
  static constexpr bool all = true;
  csr_view<Space, Vertex> graph;

  [[nodiscard]] GLT_HOST_DEVICE constexpr Vertex row_of(global_id vertex) const noexcept {
    return static_cast<Vertex>(vertex);
  }
  /// Returns the graph with the row of a walker's vertex, or of a vertex.
  [[nodiscard]] GLT_HOST_DEVICE constexpr csr_view<Space, Vertex> const& graph_of(auto const&) const noexcept {
    return graph;
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr csr_view<Space, Vertex> const& graph_with(global_id) const noexcept {
    return graph;
  }
  /// Records the owner of the next vertex's row, and returns the row's number there.
  [[nodiscard]] GLT_HOST_DEVICE Vertex enter(auto&, Vertex vertex) const noexcept { return vertex; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool is_here(auto const&) const noexcept { return true; }
  /// Prefetches the bounds of a row, or of a vertex's row, if they are local.
  GLT_HOST_DEVICE void prefetch(auto const&, std::int64_t row) const noexcept {
    detail::prefetch(graph.offsets().data() + row);
  }
  GLT_HOST_DEVICE void prefetch(global_id vertex) const noexcept { detail::prefetch(graph.offsets().data() + vertex); }
};

template <memory_space Space, vertex_id Vertex>
struct walk_rows {
  matrix_view<Space, Vertex> vertices;
  matrix_view<Space, edge_id> edge_ids;

  /// Sets vertex `step` of a walk, and the edge that led there.
  GLT_HOST_DEVICE void set(std::int64_t walk, std::int64_t step, Vertex vertex, edge_id edge) const noexcept {
    vertices(walk, step) = vertex;
    if (edge_ids.rows() > 0) {
      edge_ids(walk, step - 1) = edge;
    }
  }
  /// Fills the rest of a walk that ends before its step `step`.
  GLT_HOST_DEVICE void end(std::int64_t walk, std::int64_t step) const noexcept {
    for (auto s = step + 1; s < vertices.columns(); ++s) {
      vertices(walk, s) = -1;
    }
    for (auto s = step; edge_ids.rows() > 0 && s < edge_ids.columns(); ++s) {
      edge_ids(walk, s) = -1;
    }
  }
};

/// Walkers of a process that has all rows, one a walk.
template <class Walker, memory_space Space, vertex_id Vertex, memory_space GraphSpace>
struct serial_walkers {
  using walker = Walker;
  array_view<Space, Vertex const> starts;
  std::int64_t walks_per_start;
  random_key key;
  original_ids<GraphSpace> original;
  std::int32_t length;
  walk_rows<Space, Vertex> out;

  GLT_HOST_DEVICE void load(std::int64_t walk, Walker& it) const {
    auto const start = starts[walk / walks_per_start];
    it.draws = walk_draws(key, walk % walks_per_start, original.empty() ? start : original[start]);
    it.walk = walk;
    it.step = 0;
    it.set_start(start, start);
    out.vertices(walk, 0) = start;
  }
  GLT_HOST_DEVICE void visit(auto const& it, Vertex vertex, auto const& step) const {
    write(out.vertices(it.walk, it.step + 1), vertex);
    if (out.edge_ids.rows() > 0) {
      write(out.edge_ids(it.walk, it.step), step.edge_of(it));
    }
  }
  [[nodiscard]] GLT_HOST_DEVICE bool done(Walker const& it) const noexcept { return it.step == length; }
  GLT_HOST_DEVICE void leave(Walker const&) const noexcept {}
  GLT_HOST_DEVICE void end(Walker const& it) const noexcept { out.end(it.walk, it.step); }

private:
  // The rows of a block advance together, which hardware prefetchers do not predict: prefetches the next cache line.
  template <class T>
  GLT_HOST_DEVICE static void write(T& place, T value) noexcept {
    prefetch(reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(&place) + 64)); // may be beyond the array
    place = value;
  }
};

/// Walks from every start into `out`, with walkers of type `Walker`.
///
/// @throws precondition_error  if a start is not in [0, num_vertices)
/// @where  enqueues after the starts are checked
template <class Walker, device_policy Policy, vertex_id Vertex, memory_space GraphSpace, class Options, class Step>
void walk_serially(Policy const& policy, array_view<Policy::space, Vertex const> starts, std::int64_t num_vertices,
                   original_ids<GraphSpace> original, sample_key key, Options const& options, Step step,
                   walks<Policy, Vertex>& out) {
  validate_vertices(policy, "start", starts, num_vertices);
  out.resize(policy, starts.size(), options.walks_per_start, options.length, options.edge_ids);
  serial_walkers<Walker, Policy::space, Vertex, GraphSpace> const walkers{starts,
                                                                          options.walks_per_start,
                                                                          walk_key(key),
                                                                          original,
                                                                          static_cast<std::int32_t>(options.length),
                                                                          {out.vertices(), out.edge_ids()}};
  move_walkers(policy, out.num_walks(), step, walkers);
}

} // namespace glt::detail
