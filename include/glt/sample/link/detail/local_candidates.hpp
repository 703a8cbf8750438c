// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/link/detail/invert_permutation.hpp>
#include <glt/sample/link/vertex_weights.hpp>

namespace glt::detail {

/// Borrowed candidates for negatives, for kernels: `resident_candidates`.
///
/// @shape  renumbered [V], vertices by original id, or empty
template <memory_space Space, vertex_id Vertex, memory_space GraphSpace = Space>
struct candidates_view {
  edge_search<GraphSpace, Vertex> edges;
  vertex_weights_view<Space> weights;
  array_view<Space, Vertex const> renumbered;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_numbers() const noexcept {
    return weights.ends.empty() ? edges.graph.num_rows() : weights.total();
  }
  /// Returns the vertex of a number.
  [[nodiscard]] GLT_HOST_DEVICE constexpr Vertex vertex(std::int64_t number) const noexcept {
    std::int64_t const original = weights.ends.empty() ? number : weights.find(number);
    return renumbered.empty() ? static_cast<Vertex>(original) : renumbered[original];
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool is_edge(Vertex source, Vertex destination) const noexcept {
    return edges(destination, source);
  }
};

/// Candidates for negatives from a whole graph in this process.
///
/// @where  the graph may be in another memory space that the policy's executor reaches
template <device_policy Policy, vertex_id Vertex, memory_space GraphSpace = Policy::space>
class local_candidates {
public:
  static constexpr memory_space space = Policy::space;
  using view_type = candidates_view<space, Vertex, GraphSpace>;

  /// Borrows all arrays. `weights` are by original id; without them all vertices are equally likely.
  ///
  /// @shape  original [V], a permutation, or empty · weights of V vertices, or of none
  /// @throws precondition_error  if the number of weights is wrong, or original is not a permutation, naming the first
  ///                             wrong vertex
  /// @cost   O(V + E), to check whether rows ascend; V ids of memory if there are original ids
  local_candidates(csr_view<GraphSpace, Vertex> graph, vertex_weights_view<space> weights,
                   original_ids<GraphSpace> original, Policy const& policy = {})
      : edges_{graph, rows_ascend(policy.executor(), graph)}, weights_(weights), renumbered_(0, policy) {
    if (!weights.ends.empty() && weights.ends.size() != graph.num_rows()) {
      throw precondition_error(
          message(weights.ends.size(), " vertex weights for ", graph.num_rows(), " vertices; give one per vertex"));
    }
    renumber(policy, original, graph.num_rows());
  }

  /// True if every row of the graph lists its sources in ascending order.
  [[nodiscard]] bool ascending() const noexcept { return edges_.ascending; }

  /// Returns a view for kernels; valid as long as the candidates.
  [[nodiscard]] view_type view() const noexcept { return {edges_, weights_, renumbered_.view()}; }

private:
  void renumber(Policy const& policy, original_ids<GraphSpace> original, std::int64_t num_vertices) {
    if (original.empty()) {
      return;
    }
    if (original.size() != num_vertices) {
      throw precondition_error(message(original.size(), " original ids for ", num_vertices, " vertices"));
    }
    if (auto const wrong = invert_permutation(policy, original, renumbered_); wrong < num_vertices) {
      throw precondition_error(message("original id of vertex ", wrong, " is ", id_at(policy, original, wrong),
                                       ", outside the graph or that of another vertex too; original ids are ",
                                       "a permutation of [0, ", num_vertices, ")"));
    }
  }

  edge_search<GraphSpace, Vertex> edges_;
  vertex_weights_view<space> weights_;
  buffer<Policy, Vertex> renumbered_; // vertex by original id
};

} // namespace glt::detail
