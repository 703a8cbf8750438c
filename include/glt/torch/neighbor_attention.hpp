// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>

#include <torch/types.h>

#include <cstdint>

namespace glt {

/// What it depends on which coefficients of an attention are dropped: not on ranks, blocks or the order of edges.
///
/// @shape  edge_ids [E], by position in the rows of a sharded graph's part; a block with ids of its own needs none ·
///         vertex_ids [num_destinations] or of more vertices after them, for self-loops that are added; both of
///         integers, 0 or more
struct attention_draws {
  random_key key{0}; ///< of a seed, step and layer, folded in one after the other
  at::Tensor edge_ids = {};
  at::Tensor vertex_ids = {};
};

/// How `attend_neighbors` attends; the same on all ranks but for the ids.
struct neighbor_attention {
  std::int64_t heads = 1;
  double slope = 0.2;         ///< of the leaky ReLU
  bool add_self_loops = true; ///< one edge more from every destination to itself, beside those that the graph has
  double dropout = 0;         ///< share of coefficients that become 0, in [0, 1); the others grow by 1 / (1 − dropout)
  attention_draws draws = {}; ///< needed for dropout alone
};

} // namespace glt
