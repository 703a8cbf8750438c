// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/block.hpp>
#include <glt/sample/options.hpp>

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
