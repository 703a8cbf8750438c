// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>

namespace glt::dist {

/// One of the lists of vertices or edges whose rows a collector collects together, into `out`.
///
/// @shape  vertices [N] global ids; of edges those where they end · edges [N] global ids, or empty where rows of vertices
///         are collected · num_seeds, N or less: of how many of the first what is for seeds alone, such as labels
template <device_policy Policy, vertex_id Vertex, class Rows>
struct bulk_list {
  array_view<Policy::space, Vertex const> vertices;
  array_view<Policy::space, edge_id const> edges{};
  std::int64_t num_seeds = 0;
  Rows* out = nullptr;
};

} // namespace glt::dist
