// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/options.hpp>

namespace glt {

/// Borrowed bipartite graph of one layer (message-flow graph): messages go from sources to destinations.
///
/// The destinations are the first `num_destinations` sources; the edges are grouped by destination, ascending.
///
/// @shape  offsets [num_destinations + 1] · row [E] in [0, num_sources) · col [E] in [0, num_destinations) ·
///         edge_ids [E] or empty
/// @units  offsets[d] − offsets[0] is the first edge of destination d in row, col and edge_ids
template <memory_space Space>
struct block_view {
  std::int64_t num_sources = 0;
  std::int64_t num_destinations = 0;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, local_id const> row;
  array_view<Space, local_id const> col;
  array_view<Space, edge_id const> edge_ids;
  bool is_piece = false; ///< its destination has more edges in other blocks; see `full_neighborhoods`

  [[nodiscard]] constexpr std::int64_t num_edges() const noexcept { return row.size(); }
};

} // namespace glt

namespace glt::detail {

/// Vertices of a sample, of one type if there are types.
template <device_policy Policy, vertex_id Vertex>
struct sampled_vertices {
  buffer<Policy, Vertex> nodes;
  buffer<Policy, local_id> seed_index;
  buffer<Policy, local_id> batch; ///< trees of the nodes, if the batch is disjoint
  std::vector<std::int64_t> num_sampled;

  void resize(std::int64_t num_nodes, bool trees) {
    nodes.resize(num_nodes);
    batch.resize(trees ? num_nodes : 0);
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.nodes, self.seed_index, self.batch, self.num_sampled);
  }
};

/// Edges of a sample, of one type if there are types, hop by hop.
template <device_policy Policy>
struct sampled_edges {
  static constexpr memory_space space = Policy::space;

  buffer<Policy, edge_offset> offsets; ///< first edge of every expansion, in order of expansion, and E
  buffer<Policy, local_id> row;
  buffer<Policy, local_id> col;
  buffer<Policy, edge_id> edge_ids;
  std::vector<std::int64_t> num_sampled;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.offsets, self.row, self.col, self.edge_ids, self.num_sampled);
  }

  /// Removes all edges and leaves one offset, which is not written.
  void clear() {
    row.clear();
    col.clear();
    edge_ids.clear();
    num_sampled.clear();
    offsets.resize(1);
  }

  /// Sets the sizes; leaves edge ids as they are unless `ids`.
  void resize(std::int64_t num_edges, std::int64_t num_expanded, bool ids) {
    row.resize(num_edges);
    col.resize(num_edges);
    if (ids) {
      edge_ids.resize(num_edges);
    }
    offsets.resize(num_expanded + 1);
  }

  /// Returns the block of a layer; layer 0 is the outermost hop, layer L − 1 ends at the seeds.
  ///
  /// @shape  sources, destinations [L + 1]: new vertices per hop of the source and the destination type
  /// @throws precondition_error  if layer is not in [0, L)
  [[nodiscard]] block_view<space> block(int layer, frontier expand, std::span<std::int64_t const> sources,
                                        std::span<std::int64_t const> destinations) const {
    auto const num_hops = static_cast<std::int64_t>(num_sampled.size());
    if (layer < 0 || layer >= num_hops) {
      throw precondition_error(
          message("block of layer ", layer, " of ", num_hops, "; layers count from 0, the outermost hop"));
    }
    auto const hop = static_cast<std::size_t>(num_hops - layer - 1);
    std::int64_t num_sources = sources[hop + 1];
    std::int64_t num_destinations = 0;
    std::int64_t edges_before = 0;
    std::int64_t expanded_before = 0;
    for (std::size_t h = 0; h <= hop; ++h) {
      if (h > 0) {
        edges_before += num_sampled[h - 1];
        expanded_before += num_destinations;
      }
      num_destinations += destinations[h];
      num_sources += sources[h];
    }
    std::int64_t num_edges = num_sampled[hop];
    if (expand == frontier::fresh) {
      num_edges += edges_before;
      edges_before = expanded_before = 0;
    }
    return {.num_sources = num_sources,
            .num_destinations = num_destinations,
            .offsets = offsets.view().subview(expanded_before, num_destinations + 1),
            .row = row.view().subview(edges_before, num_edges),
            .col = col.view().subview(edges_before, num_edges),
            .edge_ids = edge_ids.empty() ? edge_ids.view() : edge_ids.view().subview(edges_before, num_edges)};
  }
};

} // namespace glt::detail

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
