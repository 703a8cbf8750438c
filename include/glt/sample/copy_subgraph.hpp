// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/detail/adopt_policy.hpp>
#include <glt/memory/detail/copy_members.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt {

/// Copies a subgraph from ordinary memory into memory of a policy; `to` is reusable.
///
/// @where  may only enqueue; `from` may change afterwards
/// @cost   O(N + E)
template <device_policy From, device_policy Policy, vertex_id Vertex>
  requires(From::space == memory_space::host)
void copy_subgraph(Policy const& policy, sampled_subgraph<From, Vertex> const& from,
                   sampled_subgraph<Policy, Vertex>& to) {
  detail::copy_members(from, to, [&]<class T>(buffer<From, T> const& values, buffer<Policy, T>& made) {
    detail::adopt_policy(policy, made);
    made.resize(values.size());
    detail::copy_in(policy, values.view(), made.view());
  });
}

} // namespace glt
