// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

/// One of several lists of vertices or edges whose rows a collector fetches together into `out`.
///
/// @shape  vertices [N] global ids, of edges their destinations · edges [N] global ids, or empty for rows of vertices ·
///         num_seeds ≤ N: `seeds_only` tensors, such as labels, are collected for the first num_seeds keys
template <device_policy Policy, vertex_id Vertex, class Rows>
struct bulk_list {
  array_view<Policy::space, Vertex const> vertices;
  array_view<Policy::space, edge_id const> edges{};
  std::int64_t num_seeds = 0;
  Rows* out = nullptr;
};

} // namespace glt::detail
