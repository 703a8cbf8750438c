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
    copy_array(from.vertices_.nodes, to.vertices_.nodes);
    copy_array(from.vertices_.seed_index, to.vertices_.seed_index);
    copy_array(from.vertices_.batch, to.vertices_.batch);
    copy_array(from.edges_.offsets, to.edges_.offsets);
    copy_array(from.edges_.row, to.edges_.row);
    copy_array(from.edges_.col, to.edges_.col);
    copy_array(from.edges_.edge_ids, to.edges_.edge_ids);
    to.expand_ = from.expand_;
    to.vertices_.num_sampled = from.vertices_.num_sampled;
    to.edges_.num_sampled = from.edges_.num_sampled;
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
                                  if (made.capacity() == 0) { // of no policy yet
                                    made = buffer<Policy, T>(0, policy);
                                  }
                                  made.resize(values.size());
                                  detail::copy_in(policy, values.view(), made.view());
                                });
}

} // namespace glt
