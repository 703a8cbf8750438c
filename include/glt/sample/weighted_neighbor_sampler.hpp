// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

namespace glt {

/// Sampler of the multi-hop in-neighbourhood of batches of seeds in proportion to edge weights, on one process.
///
/// Made of a graph, options and a `weighted_rule`, which has the weights and, if built, the tables.
template <device_policy Policy, vertex_id Vertex = local_id, memory_space GraphSpace = Policy::space>
using weighted_neighbor_sampler = neighbor_sampler<Policy, Vertex, weighted_rule<GraphSpace>, GraphSpace>;

} // namespace glt
