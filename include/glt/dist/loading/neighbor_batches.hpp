// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/graph.hpp>
#include <glt/dist/loading/batch_recipe.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/loading/detail/vertex_seeding.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

template <>
struct expansion<neighbor_options> : plain_expansion {
  template <class Comm, class Policy, class GraphPolicy, class Vertex, class Rule>
  using seeding_type = vertex_seeding<Comm, Policy, Vertex, Rule, dist::graph<GraphPolicy, Vertex>, seeds_type<Vertex>,
                                      dist::neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy>>;
  static constexpr bool on_any_policy = true;
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches of vertices with their sampled neighbourhoods: graph, sampling options, rule, and the rows
/// to collect.
///
///     glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {15, 10}}), data.split("train"),
///                              {.batch_size = 1024, .shuffle = true, .prefetch = 2});
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float, class Rule = uniform_rule,
          device_policy StorePolicy = GraphPolicy>
using neighbor_batches = batch_recipe<neighbor_options, GraphPolicy, Vertex, T, Rule, StorePolicy>;

} // namespace glt::dist
