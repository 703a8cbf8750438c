// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt {

namespace detail {

/// Sees the arrays of subgraphs.
struct subgraph_arrays {
  /// Makes `to` a subgraph as `from`, whose arrays are copied by copy_array(from_buffer, to_buffer).
  template <device_policy From, device_policy To, vertex_id Vertex, class CopyArray>
  static void copy(sampled_subgraph<From, Vertex> const& from, sampled_subgraph<To, Vertex>& to,
                   CopyArray copy_array) {
    copy_array(from.nodes_, to.nodes_);
    copy_array(from.seed_index_, to.seed_index_);
    copy_array(from.batch_, to.batch_);
    copy_array(from.offsets_, to.offsets_);
    copy_array(from.row_, to.row_);
    copy_array(from.col_, to.col_);
    copy_array(from.edge_ids_, to.edge_ids_);
    to.expand_ = from.expand_;
    to.num_sampled_nodes_ = from.num_sampled_nodes_;
    to.num_sampled_edges_ = from.num_sampled_edges_;
  }
};

} // namespace detail

/// Copies a subgraph from ordinary memory into memory of a policy; `to` is reusable.
///
/// @where  may only enqueue; `from` may change afterwards
/// @cost   O(N + E)
template <device_policy From, device_policy Policy, vertex_id Vertex>
  requires(From::space == memory_space::host)
void copy_subgraph(Policy const& policy, sampled_subgraph<From, Vertex> const& from,
                   sampled_subgraph<Policy, Vertex>& to) {
  detail::subgraph_arrays::copy(from, to,
                                [&]<class T>(buffer<From, T> const& values, buffer<Policy, T>& made) {
                                  if (made.capacity() == 0) { // of nobody's yet
                                    made = buffer<Policy, T>(0, policy);
                                  }
                                  made.resize(values.size());
                                  copy_in(policy, values.view(), made.view());
                                });
}

} // namespace glt
