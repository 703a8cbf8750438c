// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace glt::detail {

/// Access to the members of a class as a tuple of references: `static auto members(Self& self)` of the class ties them,
/// in the same order for all instances of a template.
struct member_access {
  template <class X>
    requires requires(X& x) { std::remove_const_t<X>::members(x); }
  [[nodiscard]] static auto of(X& x) {
    return std::remove_const_t<X>::members(x);
  }
};

/// Class that shows its members.
template <class X>
concept has_members = requires(X& x) { member_access::of(x); };

} // namespace glt::detail
