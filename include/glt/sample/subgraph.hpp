// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/block.hpp>
#include <glt/sample/options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt {

template <device_policy Policy, vertex_id Vertex>
class subgraph_builder;

namespace detail {
struct subgraph_arrays;
} // namespace detail
template <device_policy Policy, vertex_id Vertex>
class parallel_subgraph_builder;

/// Owns what a multi-hop sampler returns for a batch of S seeds: its vertices, its edges hop by hop, and
/// views of both as one block per layer. Reusable: sampling into it again keeps the memory.
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

  [[nodiscard]] array_view<space, Vertex const> nodes() const noexcept { return nodes_.view(); }
  /// Position in nodes of each seed; a seed given twice has the same position twice.
  [[nodiscard]] array_view<space, local_id const> seed_index() const noexcept { return seed_index_.view(); }
  /// The seed to whose tree each of the nodes belongs; empty if the batch is not disjoint.
  [[nodiscard]] array_view<space, local_id const> batch() const noexcept { return batch_.view(); }
  [[nodiscard]] array_view<space, local_id const> row() const noexcept { return row_.view(); }
  [[nodiscard]] array_view<space, local_id const> col() const noexcept { return col_.view(); }
  [[nodiscard]] array_view<space, edge_id const> edge_ids() const noexcept { return edge_ids_.view(); }

  [[nodiscard]] int num_hops() const noexcept { return static_cast<int>(num_sampled_edges_.size()); }
  /// New vertices per hop; the first entry counts the distinct seeds.
  [[nodiscard]] std::span<std::int64_t const> num_sampled_nodes() const noexcept { return num_sampled_nodes_; }
  [[nodiscard]] std::span<std::int64_t const> num_sampled_edges() const noexcept { return num_sampled_edges_; }

  /// The block of a layer; layer 0 is the outermost hop, which a network computes first, layer L − 1 ends at
  /// the seeds.
  ///
  /// With `frontier::fresh` a block holds the edges of its hop and of all hops nearer to the seeds, because a
  /// vertex is sampled once for all layers; with `frontier::all` it holds those of its hop.
  ///
  /// @throws precondition_error  if layer is not in [0, num_hops())
  [[nodiscard]] block_view<space> block(int layer) const {
    if (layer < 0 || layer >= num_hops()) {
      throw precondition_error(
          detail::message("block of layer ", layer, " of ", num_hops(), "; layers count from 0, the outermost hop"));
    }
    auto const hop = static_cast<std::size_t>(num_hops() - layer - 1);
    std::int64_t destinations = 0;
    std::int64_t edges_before = 0;
    std::int64_t expanded_before = 0;
    for (std::size_t h = 0; h <= hop; ++h) {
      if (h > 0) {
        edges_before += num_sampled_edges_[h - 1];
        expanded_before += destinations;
      }
      destinations += num_sampled_nodes_[h];
    }
    std::int64_t num_edges = num_sampled_edges_[hop];
    if (expand_ == frontier::fresh) {
      num_edges += edges_before;
      edges_before = expanded_before = 0;
    }
    return {.num_sources = destinations + num_sampled_nodes_[hop + 1],
            .num_destinations = destinations,
            .offsets = offsets_.view().subview(expanded_before, destinations + 1),
            .row = row().subview(edges_before, num_edges),
            .col = col().subview(edges_before, num_edges),
            .edge_ids = edge_ids_.empty() ? edge_ids() : edge_ids().subview(edges_before, num_edges)};
  }

private:
  friend class subgraph_builder<Policy, Vertex>;
  friend class parallel_subgraph_builder<Policy, Vertex>;
  friend struct detail::subgraph_arrays;

  frontier expand_ = frontier::fresh;
  buffer<Policy, Vertex> nodes_;
  buffer<Policy, local_id> seed_index_;
  buffer<Policy, local_id> batch_;
  buffer<Policy, edge_offset> offsets_; // first edge of every expansion, in order of expansion, and E
  buffer<Policy, local_id> row_;
  buffer<Policy, local_id> col_;
  buffer<Policy, edge_id> edge_ids_;
  std::vector<std::int64_t> num_sampled_nodes_;
  std::vector<std::int64_t> num_sampled_edges_;
};

} // namespace glt
