// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Copies a subgraph from ordinary memory into memory of a policy; `to` is reusable.
///
/// @where  may only enqueue; `from` may change afterwards
/// @cost   O(N + E)
template <device_policy From, device_policy Policy, vertex_id Vertex>
  requires(From::space == memory_space::host)
void copy_subgraph(Policy const& policy, sampled_subgraph<From, Vertex> const& from,
                   sampled_subgraph<Policy, Vertex>& to) {
  copy_members(from, to, [&]<class T>(buffer<From, T> const& values, buffer<Policy, T>& made) {
    adopt_policy(policy, made);
    made.resize(values.size());
    copy_in(policy, values.view(), made.view());
  });
}

} // namespace glt::detail
