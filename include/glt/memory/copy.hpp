// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/bytes.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>

namespace glt {

/// Copies elements between memory that the host can reach.
///
/// @shape  from [n] · to [n], written
/// @throws precondition_error  if the lengths differ
template <memory_space From, memory_space To, class Element, bytes_copyable T>
  requires(host_accessible(From) && host_accessible(To) && std::is_same_v<std::remove_const_t<Element>, T>)
void copy(array_view<From, Element> from, array_view<To, T> to) {
  if (from.size() != to.size()) {
    throw precondition_error(
        detail::message("copy of ", from.size(), " elements into a view of ", to.size(), "; the lengths must be equal"));
  }
  detail::copy_bytes(to.data(), from.data(), from.size() * static_cast<std::int64_t>(sizeof(T)));
}

/// A buffer of the policy with a copy of a host range (vector, array, span, view).
///
/// @shape  values [n] → buffer [n]
template <device_policy Policy, std::ranges::contiguous_range Range>
  requires(host_accessible(Policy::space))
[[nodiscard]] auto make_buffer(Range const& values, Policy policy = {}) {
  using value = std::ranges::range_value_t<Range>;
  buffer<Policy, value> made(static_cast<std::int64_t>(std::ranges::size(values)), std::move(policy));
  copy(host_view<value const>(values), made.view());
  return made;
}

} // namespace glt
