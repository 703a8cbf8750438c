// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tuple>
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

/// Sets each number x of an object to operation(x, the same number of `other`), member by member, recursively; other
/// members, such as texts, stay.
template <class X, class Operation>
X& combine(X& x, X const& other, Operation operation) {
  if constexpr (has_members<X>) {
    std::apply(
        [&](auto&... own) {
          std::apply([&](auto const&... others) { (combine(own, others, operation), ...); }, member_access::of(other));
        },
        member_access::of(x));
  } else if constexpr (std::is_arithmetic_v<X>) {
    x = operation(x, other);
  }
  return x;
}

} // namespace glt::detail
