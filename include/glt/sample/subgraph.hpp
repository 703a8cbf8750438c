// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/block.hpp>
#include <glt/sample/detail/batch/sampled_arrays.hpp>
#include <glt/sample/options.hpp>

namespace glt {

namespace detail {
template <device_policy Policy, vertex_id Vertex>
class subgraph_builder;
struct member_access;
} // namespace detail

/// Sample of a batch of S seeds: its vertices, its edges hop by hop, and views of both as one block per layer.
/// Reusable: sampling into it again keeps the memory.
///
/// Concurrent calls: none while it is sampled into; const members may run concurrently.
///
/// @shape  nodes [N], first-seen order, seeds first · seed_index [S] · batch [N] or empty · row, col [E], hop
///         by hop · edge_ids [E] or empty · num_sampled_nodes [L + 1] · num_sampled_edges [L]
/// @units  nodes are ids of the sampled graph; seed_index, row (sources) and col (destinations) are positions
///         in nodes; batch names positions of seeds
template <device_policy Policy, vertex_id Vertex = local_id>
class sampled_subgraph {
public:
  static constexpr memory_space space = Policy::space;
  using vertex_type = Vertex;

  [[nodiscard]] array_view<space, Vertex const> nodes() const noexcept { return vertices_.nodes.view(); }
  /// Returns the position in nodes of each seed; equal seeds have equal positions.
  [[nodiscard]] array_view<space, local_id const> seed_index() const noexcept { return vertices_.seed_index.view(); }
  /// Returns, for each node, the seed of its tree; empty if the batch is not disjoint.
  [[nodiscard]] array_view<space, local_id const> batch() const noexcept { return vertices_.batch.view(); }
  [[nodiscard]] array_view<space, local_id const> row() const noexcept { return edges_.row.view(); }
  [[nodiscard]] array_view<space, local_id const> col() const noexcept { return edges_.col.view(); }
  [[nodiscard]] array_view<space, edge_id const> edge_ids() const noexcept { return edges_.edge_ids.view(); }

  [[nodiscard]] int num_hops() const noexcept { return static_cast<int>(edges_.num_sampled.size()); }
  /// Returns the new vertices per hop; the first entry counts the distinct seeds.
  [[nodiscard]] std::span<std::int64_t const> num_sampled_nodes() const noexcept { return vertices_.num_sampled; }
  [[nodiscard]] std::span<std::int64_t const> num_sampled_edges() const noexcept { return edges_.num_sampled; }

  /// Returns the block of a layer. Layer 0 is the outermost hop, which a network computes first; layer L − 1 ends at
  /// the seeds.
  ///
  /// With `frontier::fresh` a block holds the edges of its hop and of all hops nearer to the seeds, because a vertex is
  /// sampled once for all layers; with `frontier::all` it holds the edges of its hop.
  ///
  /// @throws precondition_error  if layer is not in [0, num_hops())
  [[nodiscard]] block_view<space> block(int layer) const {
    return edges_.block(layer, expand_, vertices_.num_sampled, vertices_.num_sampled);
  }

private:
  friend class detail::subgraph_builder<Policy, Vertex>;
  friend struct detail::member_access;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.vertices_, self.edges_, self.expand_);
  }

  frontier expand_ = frontier::fresh;
  detail::sampled_vertices<Policy, Vertex> vertices_;
  detail::sampled_edges<Policy> edges_;
};

} // namespace glt
