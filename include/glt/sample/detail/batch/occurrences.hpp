// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic.hpp>
#include <glt/core/detail/bounded_size.hpp>
#include <glt/sample/detail/batch/numbering.hpp>

namespace glt::detail {

/// Seeds of a type as occurrences; in a disjoint batch every seed is a separate key.
template <memory_space Space, class Vertex, bool Disjoint>
struct seed_occurrences {
  array_view<Space, Vertex const> seeds;
  std::int64_t first_tree;
  array_view<Space, local_id> seed_index;
  array_view<Space, Vertex> nodes;
  array_view<Space, local_id> trees;
  std::int64_t num_vertices;
  array_view<Space, std::int64_t> bad_seed; ///< gets e − S for the first seed e that is not a vertex; empty: no check

  GLT_HOST_DEVICE auto key(std::int64_t e) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{static_cast<local_id>(first_tree + e), seeds[e]};
    } else {
      return seeds[e];
    }
  }
  GLT_HOST_DEVICE auto known(std::int64_t n) const { return key(n); } // there are no numbers before the seeds
  GLT_HOST_DEVICE void set(std::int64_t e, local_id number) const {
    seed_index[e] = number;
    if (!bad_seed.empty() && (seeds[e] < 0 || seeds[e] >= num_vertices)) {
      atomic_min(bad_seed.data(), e - seeds.size());
    }
  }
  GLT_HOST_DEVICE void add(std::int64_t e, local_id number) const {
    nodes[number] = seeds[e];
    if constexpr (Disjoint) {
      trees[number] = static_cast<local_id>(first_tree + e);
    }
  }
};

/// Sources of a hop over one edge type as occurrences; in a disjoint batch, in the tree of their destination.
template <memory_space Space, class Vertex, bool Disjoint>
struct source_occurrences {
  array_view<Space, Vertex const> sources;
  bounded_size<Space> edges; ///< of the edge type, before the hop
  array_view<Space, local_id> row;
  array_view<Space, local_id const> col;
  array_view<Space, local_id const> trees_of_destinations;
  array_view<Space, Vertex> nodes; ///< of the source type, like the trees
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
  GLT_HOST_DEVICE void set(std::int64_t e, local_id number) const { row[edges() + e] = number; }
  GLT_HOST_DEVICE void add(std::int64_t e, local_id number) const {
    nodes[number] = sources[e];
    if constexpr (Disjoint) {
      trees[number] = trees_of_destinations[col[edges() + e]];
    }
  }
};

} // namespace glt::detail
