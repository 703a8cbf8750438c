// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

namespace glt::detail {

/// Moves buffers to this policy before they are written, so that their memory follows the order of its work. A buffer
/// moves if it has no memory yet, or if its memory follows another stream; it then loses its elements.
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
