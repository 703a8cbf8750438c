// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/sample/known_sizes.hpp>
#include <glt/sample/numbering.hpp>

#include <cstdint>

namespace glt::detail {

/// Which vertices of a type a hop expands, as far as it is known where the sizes are.
template <memory_space Space>
struct typed_frontier {
  known_size<Space> begin;
  known_size<Space> end;

  /// Position in the nodes of the type of its first vertex.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t first() const noexcept { return begin(); }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t size() const noexcept { return end() - begin(); }
};

/// Where the edges that a hop draws over one edge type go in the batch.
template <memory_space Space>
struct relation_place {
  typed_frontier<Space> frontier; ///< of the destination type
  known_size<Space> edges;        ///< of this type, before the hop
  known_size<Space> expanded;     ///< vertices that were expanded over it before the hop
};

// Sizes of an edge type after a hop; without offsets nothing was drawn.
template <memory_space Space>
struct end_of_relation {
  relation_place<Space> place;
  array_view<Space, edge_offset const> drawn;
  array_view<Space, std::int64_t> edges;
  array_view<Space, std::int64_t> expanded;
  GLT_HOST_DEVICE void operator()(std::int64_t) const {
    edges[0] = place.edges() + (drawn.empty() ? 0 : drawn[drawn.size() - 1]);
    expanded[0] = place.expanded() + place.frontier.size();
  }
};

/// Writes the destinations of the edges of frontier vertex i, and where its edges end.
template <memory_space Space>
struct put_typed_destinations {
  relation_place<Space> place;
  array_view<Space, edge_offset const> drawn; // offsets of the hop; empty if nothing was drawn
  array_view<Space, local_id> col;
  array_view<Space, edge_offset> offsets; // of the batch

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i >= place.frontier.size()) {
      return;
    }
    auto const before = place.edges();
    auto const destination = static_cast<local_id>(place.frontier.first() + i);
    auto const end = drawn.empty() ? 0 : drawn[i + 1];
    for (auto e = drawn.empty() ? 0 : drawn[i]; e < end; ++e) {
      col[before + e] = destination;
    }
    offsets[place.expanded() + i + 1] = before + end;
  }
};

template <class Request, memory_space Space>
struct draw_typed_frontier {
  Request request;
  put_typed_destinations<Space> put;
  array_view<Space, typename Request::vertex> sources; // of the hop
  array_view<Space, edge_id> edge_ids;                 // of the batch
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const first = put.drawn[i];
    auto const count = put.drawn[i + 1] - first;
    if (count > 0) {
      request.pick(i, count, sources.data() + first,
                   edge_ids.empty() ? nullptr : edge_ids.data() + put.place.edges() + first);
    }
    put(i);
  }
};

// The seeds of a type as occurrences; with trees every seed is a key of its own.
template <memory_space Space, class Vertex, bool Disjoint>
struct typed_seed_occurrences {
  array_view<Space, Vertex const> seeds;
  std::int64_t first_tree;
  array_view<Space, local_id> seed_index;
  array_view<Space, Vertex> nodes;
  array_view<Space, local_id> trees;

  GLT_HOST_DEVICE auto key(std::int64_t e) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{static_cast<local_id>(first_tree + e), seeds[e]};
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
        trees[number] = static_cast<local_id>(first_tree + e);
      }
    }
  }
};

// The sources of a hop over one edge type as occurrences; in the tree of their destination if there are trees.
template <memory_space Space, class Vertex, bool Disjoint>
struct typed_source_occurrences {
  array_view<Space, Vertex const> sources;
  known_size<Space> edges; // of the type, before the hop
  array_view<Space, local_id> row;
  array_view<Space, local_id const> col;
  array_view<Space, local_id const> trees_of_destinations;
  array_view<Space, Vertex> nodes; // of the source type, like the trees
  array_view<Space, local_id> trees;

  GLT_HOST_DEVICE auto key(std::int64_t e) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{trees_of_destinations[col[edges() + e]], sources[e]};
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
    row[edges() + e] = number;
    if (first) {
      nodes[number] = sources[e];
      if constexpr (Disjoint) {
        trees[number] = trees_of_destinations[col[edges() + e]];
      }
    }
  }
};

} // namespace glt::detail
