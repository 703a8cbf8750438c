// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <torch/types.h>

namespace glt {

/// Key and ids that decide which coefficients of an attention are dropped. The choice does not depend on ranks, blocks
/// or the order of edges.
///
/// @shape  edge_ids [E], by position in the rows of a sharded graph's part; not needed for a block that has edge ids ·
///         vertex_ids [num_destinations] or of more vertices after them, for self-loops that are added; both of
///         integers, 0 or more
struct attention_draws {
  random_key key{0}; ///< key into which seed, step and layer were folded
  at::Tensor edge_ids = {};
  at::Tensor vertex_ids = {};
};

/// Options of `attend_neighbors`; the same on all ranks, except the ids.
struct neighbor_attention {
  std::int64_t heads = 1;
  double slope = 0.2;         ///< of the leaky ReLU
  bool add_self_loops = true; ///< one more edge from every destination to itself, beside the edges of the graph
  double dropout = 0;         ///< share of coefficients that become 0, in [0, 1); the others grow by 1 / (1 − dropout)
  attention_draws draws = {}; ///< needed only for dropout
};

} // namespace glt
