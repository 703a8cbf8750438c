// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <ranges>

namespace glt {

namespace detail {

// Returns the bytes of n elements, 0 if there is nothing to copy.
template <class T>
std::size_t bytes_to_copy(std::int64_t from, std::int64_t to) {
  if (from != to) {
    throw precondition_error(message("copy of ", from, " elements into a view of ", to, "; the lengths must be equal"));
  }
  return static_cast<std::size_t>(from) * sizeof(T);
}

} // namespace detail

/// Copies elements between memory that the host can reach.
///
/// @shape  from [n] · to [n], written
/// @throws precondition_error  if the lengths differ
template <memory_space From, memory_space To, class Element, bytes_copyable T>
  requires(detail::host_accessible(From) && detail::host_accessible(To) &&
           std::is_same_v<std::remove_const_t<Element>, T>)
void copy(array_view<From, Element> from, array_view<To, T> to) {
  auto const bytes = detail::bytes_to_copy<T>(from.size(), to.size());
  detail::copy_bytes(to.data(), from.data(), static_cast<std::int64_t>(bytes));
}

namespace detail {

/// Copies elements of ordinary memory into memory of a policy.
///
/// @shape  from [n] · to [n], written
/// @where  may only enqueue; `from` may change afterwards
/// @throws precondition_error  if the lengths differ
template <device_policy Policy, class Element, bytes_copyable T>
  requires std::is_same_v<std::remove_const_t<Element>, T>
void copy_in(Policy const& policy, host_view<Element> from, array_view<Policy::space, T> to) {
  if (auto const bytes = detail::bytes_to_copy<T>(from.size(), to.size()); bytes > 0) {
    policy.resource().copy_in(to.data(), from.data(), bytes);
  }
}

/// Copies elements of a policy's memory into ordinary memory, and waits for them.
///
/// @shape  from [n] · to [n], written
/// @throws precondition_error  if the lengths differ
template <device_policy Policy, class Element, bytes_copyable T>
  requires std::is_same_v<std::remove_const_t<Element>, T>
void copy_out(Policy const& policy, array_view<Policy::space, Element> from, host_view<T> to) {
  if (auto const bytes = detail::bytes_to_copy<T>(from.size(), to.size()); bytes > 0) {
    policy.resource().copy_out(to.data(), from.data(), bytes);
  }
}

} // namespace detail

/// Returns the elements of a view in a vector: for sizes that the host must know, and for tests.
///
/// @cost   waits for all work that was enqueued before
template <device_policy Policy, class Element>
[[nodiscard]] std::vector<std::remove_const_t<Element>> to_vector(Policy const& policy,
                                                                  array_view<Policy::space, Element> view) {
  std::vector<std::remove_const_t<Element>> values(static_cast<std::size_t>(view.size()));
  detail::copy_out(policy, view, host_view<std::remove_const_t<Element>>(values));
  return values;
}

namespace detail {

/// Returns one element of a view.
///
/// @pre    i is in [0, view.size()); not checked
/// @cost   waits for all work that was enqueued before
template <device_policy Policy, class Element>
[[nodiscard]] std::remove_const_t<Element> read_element(Policy const& policy, array_view<Policy::space, Element> view,
                                                        std::int64_t i) {
  std::remove_const_t<Element> value;
  policy.resource().copy_out(&value, view.data() + i, sizeof(value));
  return value;
}

} // namespace detail

/// Returns a buffer of the policy with a copy of a host range (vector, array, span, view).
///
/// @shape  values [n] → buffer [n]
template <device_policy Policy, std::ranges::contiguous_range Range>
[[nodiscard]] auto make_buffer(Range const& values, Policy policy = {}) {
  using value = std::ranges::range_value_t<Range>;
  buffer<Policy, value> made(static_cast<std::int64_t>(std::ranges::size(values)), policy);
  detail::copy_in(policy, host_view<value const>(std::ranges::data(values), made.size()), made.view());
  return made;
}

} // namespace glt
