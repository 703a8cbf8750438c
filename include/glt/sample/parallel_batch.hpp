// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/atomic.hpp>
#include <glt/core/config.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/sample/numbering.hpp>
#include <glt/sample/parallel_numbering.hpp>

#include <cstdint>

namespace glt::detail {

/// The sizes of a batch that is being sampled, in memory of those who sample: written once, so that work that is
/// enqueued early finds them.
///
/// @shape  all [2 + 3 · (L + 1)]: the first seed that is no vertex, 0, and for every hop the vertices, edges and
///         expanded vertices up to there; entry 0 is that of the seeds
template <memory_space Space>
struct batch_sizes {
  static constexpr std::int64_t per_hop = 3;
  static constexpr std::int64_t before_hops = 2;
  [[nodiscard]] static constexpr std::int64_t length(std::int64_t hops) noexcept {
    return before_hops + per_hop * (hops + 1);
  }

  array_view<Space, std::int64_t> all;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t& bad_seed() const noexcept { return all[0]; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t& nodes(std::int64_t hop) const noexcept {
    return all[before_hops + per_hop * hop];
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t& edges(std::int64_t hop) const noexcept {
    return all[before_hops + per_hop * hop + 1];
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t& expanded(std::int64_t hop) const noexcept {
    return all[before_hops + per_hop * hop + 2];
  }
  /// Places for who is handed a size as a view of one element.
  [[nodiscard]] constexpr array_view<Space, std::int64_t const> zero() const noexcept { return all.subview(1, 1); }
  [[nodiscard]] constexpr array_view<Space, std::int64_t> place_of_nodes(std::int64_t hop) const noexcept {
    return all.subview(before_hops + per_hop * hop, 1);
  }
};

/// Which vertices hop `hop` expands, as far as it is known where the sizes are.
template <memory_space Space>
struct frontier_place {
  batch_sizes<Space> sizes;
  std::int64_t hop = 0;
  bool fresh = true;

  /// Position in nodes of its first vertex.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t first() const noexcept {
    return fresh && hop > 0 ? sizes.nodes(hop - 1) : 0;
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t size() const noexcept { return sizes.nodes(hop) - first(); }
};

template <memory_space Space>
struct start_batch {
  batch_sizes<Space> sizes;
  std::int64_t num_seeds;
  array_view<Space, edge_offset> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t) const {
    sizes.bad_seed() = num_seeds; // none
    sizes.all[1] = 0;
    sizes.nodes(0) = 0;
    sizes.edges(0) = 0;
    sizes.expanded(0) = 0;
    offsets[0] = 0;
  }
};

// The seeds as occurrences; with trees every seed is a key of its own.
template <memory_space Space, class Vertex, bool Disjoint>
struct seed_occurrences {
  array_view<Space, Vertex const> seeds;
  std::int64_t num_vertices;
  batch_sizes<Space> sizes;
  array_view<Space, local_id> seed_index;
  array_view<Space, Vertex> nodes;
  array_view<Space, local_id> trees;

  GLT_HOST_DEVICE auto key(std::int64_t e) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{static_cast<local_id>(e), seeds[e]};
    } else {
      return seeds[e];
    }
  }
  GLT_HOST_DEVICE auto known(std::int64_t n) const { return key(n); } // there is no number before the seeds
  GLT_HOST_DEVICE void put(std::int64_t e, local_id number, bool first) const {
    seed_index[e] = number;
    if (first) {
      nodes[number] = seeds[e];
      if constexpr (Disjoint) {
        trees[number] = static_cast<local_id>(e);
      }
    }
    if (seeds[e] < 0 || seeds[e] >= num_vertices) {
      atomic_min(&sizes.bad_seed(), e);
    }
  }
};

// The sources of a hop as occurrences; in the tree of their destination if there are trees.
template <memory_space Space, class Vertex, bool Disjoint>
struct source_occurrences {
  array_view<Space, Vertex const> sources;
  batch_sizes<Space> sizes;
  std::int64_t hop;
  array_view<Space, local_id> row;
  array_view<Space, local_id const> col;
  array_view<Space, Vertex> nodes;
  array_view<Space, local_id> trees;

  GLT_HOST_DEVICE auto key(std::int64_t e) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{trees[col[sizes.edges(hop) + e]], sources[e]};
    } else {
      return sources[e];
    }
  }
  GLT_HOST_DEVICE auto known(std::int64_t n) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{trees[n], nodes[n]};
    } else {
      return nodes[n];
    }
  }
  GLT_HOST_DEVICE void put(std::int64_t e, local_id number, bool first) const {
    auto const before = sizes.edges(hop);
    row[before + e] = number;
    if (first) {
      nodes[number] = sources[e];
      if constexpr (Disjoint) {
        trees[number] = trees[col[before + e]];
      }
    }
  }
};

// Sizes after a hop, but for the number of vertices.
template <memory_space Space>
struct end_of_draws {
  frontier_place<Space> frontier;
  array_view<Space, edge_offset const> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t) const {
    auto const& [sizes, hop, fresh] = frontier;
    sizes.edges(hop + 1) = sizes.edges(hop) + offsets[offsets.size() - 1];
    sizes.expanded(hop + 1) = sizes.expanded(hop) + frontier.size();
  }
};

/// Where the edges of a hop go: for frontier vertex i, its position as their destination, and where they end.
template <memory_space Space>
struct put_destinations {
  frontier_place<Space> frontier;
  array_view<Space, edge_offset const> drawn; // offsets of the hop
  array_view<Space, local_id> col;            // of the batch
  array_view<Space, edge_offset> offsets;     // of the batch

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    for (auto e = drawn[i]; e < drawn[i + 1]; ++e) {
      put_edge(e, i);
    }
    put_end(i);
  }
  GLT_HOST_DEVICE void put_edge(std::int64_t e, std::int64_t i) const {
    col[frontier.sizes.edges(frontier.hop) + e] = static_cast<local_id>(frontier.first() + i);
  }
  GLT_HOST_DEVICE void put_end(std::int64_t i) const {
    if (i < frontier.size()) {
      auto const& [sizes, hop, fresh] = frontier;
      offsets[sizes.expanded(hop) + i + 1] = sizes.edges(hop) + drawn[i + 1];
    }
  }
};

template <memory_space Space, class Vertex>
struct node_at {
  array_view<Space, Vertex const> nodes;
  GLT_HOST_DEVICE Vertex operator()(std::int64_t n) const { return nodes[n]; }
};

/// Says where a vertex is in nodes, −1 if it is not there.
template <memory_space Space, class Vertex>
struct vertex_look_up {
  position_table table;
  array_view<Space, Vertex const> nodes;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(Vertex vertex) const {
    return table.find(vertex, node_at<Space, Vertex>{nodes});
  }
};

} // namespace glt::detail
