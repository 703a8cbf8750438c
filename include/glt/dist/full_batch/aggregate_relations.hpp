// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/relations_pass.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/dist/full_batch/relation_rows.hpp>
#include <glt/memory/memory.hpp>

#include <span>

namespace glt::dist {

/// Computes sums or means over the in-edges of every relation in one rotation. At each step a rank gets the rows of all
/// relations in one message. A cover of the boundary is not used.
///
/// @shape  rows: one for each edge type, from [num_sources(), F] to [num_destinations(), F] of its relation, written;
///         relations may have different F
/// @where  memory of the graph's policy
/// @comm   collective; one header exchange and at most R − 1 messages a rank
/// @throws collective_error  on every rank, if rows of a rank have other shapes, `how` is `max` or `min`, or a rank
///                           passes other widths or another `how` than rank 0
/// @cost   as `aggregate` for each relation; the rows of 2 · depth + 2 shards of all relations
template <communicator Comm, device_policy Policy, class T>
void aggregate_relations(hetero_sharded_graph<Comm, Policy>& graph,
                         std::span<relation_rows<Policy::space, T> const> rows, aggregator how = aggregator::mean) {
  if (graph.schema().num_edge_types() > 0) {
    glt::detail::relations_pass<Comm, Policy, T> pass(graph, rows, glt::detail::row_flow::pull, how);
    pass.begin();
    pass.pull();
  }
}

/// Computes the gradients of `aggregate_relations` by the rows of sources.
///
/// @shape  rows: one for each edge type, from [num_destinations(), F], the gradients by the result, to [num_sources(),
///         F], written
/// @comm   as `aggregate_relations`
/// @throws collective_error  as `aggregate_relations`
template <communicator Comm, device_policy Policy, class T>
void aggregate_relations_backward(hetero_sharded_graph<Comm, Policy>& graph,
                                  std::span<relation_rows<Policy::space, T> const> rows,
                                  aggregator how = aggregator::mean) {
  if (graph.schema().num_edge_types() > 0) {
    glt::detail::relations_pass<Comm, Policy, T> pass(graph, rows, glt::detail::row_flow::push, how);
    pass.begin();
    pass.push();
  }
}

} // namespace glt::dist
