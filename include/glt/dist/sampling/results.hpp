// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::dist {

/// Result of a `dist::neighbor_sampler` or `dist::induced_sampler`; its nodes are global ids.
template <device_policy Policy, vertex_id Vertex = global_id>
using sampled_subgraph = glt::sampled_subgraph<Policy, Vertex>;

/// Result of the distributed walkers; its vertices are global ids.
template <device_policy Policy, vertex_id Vertex = global_id>
using walks = glt::walks<Policy, Vertex>;

} // namespace glt::dist
