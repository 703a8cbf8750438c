// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::dist {

/// What a `dist::neighbor_sampler` or `dist::induced_sampler` writes; its nodes are global ids.
template <device_policy Policy, vertex_id Vertex = global_id>
using sampled_subgraph = glt::sampled_subgraph<Policy, Vertex>;

/// What a `dist::hetero_neighbor_sampler` writes; its nodes are global ids of their types.
template <device_policy Policy, vertex_id Vertex = global_id>
using hetero_subgraph = glt::hetero_subgraph<Policy, Vertex>;

/// What a `dist::link_sampler` writes; its ends and nodes are global ids.
template <device_policy Policy, vertex_id Vertex = global_id>
using link_sample = glt::link_sample<Policy, Vertex>;

/// What the walkers across ranks write; their vertices are global ids.
template <device_policy Policy, vertex_id Vertex = global_id>
using walks = glt::walks<Policy, Vertex>;

} // namespace glt::dist
