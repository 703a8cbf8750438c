// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Returns the numbers 0 … n − 1 in an order that depends only on n and the key; all orders are equally likely.
///
/// One thread of the host shuffles; the result is in memory of `Policy`.
///
/// @shape  → [n]
/// @throws precondition_error  if n is negative or does not fit `Vertex`
/// @cost   O(n)
/// @source Knuth, TAOCP vol. 2, 3.4.2, algorithm P, built from its front
template <vertex_id Vertex = local_id, device_policy Policy = device::cpu>
[[nodiscard]] buffer<Policy, Vertex> make_random_permutation(std::int64_t n, random_key key, Policy policy = {}) {
  static_cast<void>(narrow<Vertex>(n, "length of a permutation"));
  buffer<device::cpu, Vertex> order(n);
  random_stream draws(key, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    auto const place = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(i) + 1));
    order[i] = static_cast<Vertex>(i);
    order[i] = order[place];
    order[place] = static_cast<Vertex>(i);
  }
  if constexpr (std::is_same_v<Policy, device::cpu>) {
    return order;
  } else {
    return make_buffer(order, policy);
  }
}

} // namespace glt::detail
