// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <concepts>

namespace glt::detail {

/// Buffers that are about to be written get their memory from this policy, so that it comes in the order of the policy's
/// work: what has no memory yet, and what has memory in the order of another stream, which it loses with its elements.
template <device_policy Policy, class... T>
void adopt_policy(Policy const& policy, buffer<Policy, T>&... of) {
  if constexpr (!host_policy<Policy>) {
    auto const fits = [&]([[maybe_unused]] auto const& each) {
      if constexpr (std::equality_comparable<Policy>) {
        return each.policy() == policy;
      } else {
        return each.capacity() > 0;
      }
    };
    ((fits(of) ? void() : void(of = buffer<Policy, T>(0, policy))), ...);
  }
}

} // namespace glt::detail
