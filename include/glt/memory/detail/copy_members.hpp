// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/memory/buffer.hpp>

namespace glt::detail {

template <class X>
inline constexpr bool is_buffer = false;
template <device_policy Policy, class T>
inline constexpr bool is_buffer<buffer<Policy, T>> = true;

template <class X>
inline constexpr bool is_list_with_members = false;
template <has_members X>
inline constexpr bool is_list_with_members<std::vector<X>> = true;

/// Copies `from` to `to`, an object of the same template with another policy: member by member, recursively. Arrays are
/// copied by copy_array(from_buffer, to_buffer).
template <class From, class To, class CopyArray>
void copy_members(From const& from, To& to, CopyArray&& copy_array) {
  if constexpr (has_members<From>) {
    auto const sources = member_access::of(from);
    auto const copies = member_access::of(to);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (copy_members(std::get<I>(sources), std::get<I>(copies), copy_array), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(sources)>>());
  } else if constexpr (is_buffer<From>) {
    copy_array(from, to);
  } else if constexpr (is_list_with_members<From>) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      copy_members(from[i], to[i], copy_array);
    }
  } else {
    to = from;
  }
}

} // namespace glt::detail
