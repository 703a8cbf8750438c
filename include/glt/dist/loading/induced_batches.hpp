// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/graph.hpp>
#include <glt/dist/loading/batch_recipe.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/loading/detail/vertex_seeding.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/sampling/induced_subgraph.hpp>
#include <glt/sample/induced_subgraph.hpp>

namespace glt::detail {

template <>
struct expansion<induced_options> : plain_expansion {
  template <class Comm, class Policy, class GraphPolicy, class Vertex, class Rule>
  using seeding_type = vertex_seeding<Comm, Policy, Vertex, Rule, dist::graph<GraphPolicy, Vertex>, seeds_type<Vertex>,
                                      dist::induced_sampler<Comm, Policy, Vertex, Rule>>;

  [[nodiscard]] static induced_options usual_options() { return {}; }
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches of induced subgraphs: all edges between the vertices within some hops of the seeds, or
/// between the vertices that a rule draws by fanouts. It names a graph, hops or fanouts, a rule, and the rows to
/// collect.
///
///     glt::dist::loader loader(comm, glt::dist::induced_batches(data, {.fanouts = {10, 5}}), data.split("train"));
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float, class Rule = uniform_rule,
          device_policy StorePolicy = GraphPolicy>
using induced_batches = batch_recipe<induced_options, GraphPolicy, Vertex, T, Rule, StorePolicy>;

} // namespace glt::dist
