// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Distinct keys of a list, ascending, each with its places in the order of the list.
///
/// Reusable; the memory is kept.
template <host_policy Policy>
class key_groups {
  static constexpr memory_space space = Policy::space;

public:
  explicit key_groups(Policy policy)
      : policy_(policy), sorted_(make_message_buffer<global_id>(policy)),
        places_(make_message_buffer<std::int64_t>(policy)), distinct_(make_message_buffer<global_id>(policy)),
        begins_(make_message_buffer<std::int64_t>(policy)) {}

  /// @cost   one sort
  template <class Key>
  void group(array_view<space, Key const> keys) {
    auto const size = keys.size();
    remake(sorted_, size);
    remake(places_, size);
    for (std::int64_t i = 0; i < size; ++i) {
      sorted_[i] = keys[i];
      places_[i] = i;
    }
    policy_.executor().sort_by_key(sorted_.view(), places_.view());
    remake(distinct_, size);
    remake(begins_, size + 1);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      if (i == 0 || sorted_[i] != sorted_[i - 1]) {
        distinct_[count] = sorted_[i];
        begins_[count++] = i;
      }
    }
    begins_[count] = size;
    distinct_.resize(count);
  }

  [[nodiscard]] std::int64_t size() const noexcept { return distinct_.size(); }
  /// @shape  [size()]
  [[nodiscard]] array_view<space, global_id const> keys() const noexcept { return distinct_.view(); }
  /// Returns the places of the key of group g.
  [[nodiscard]] array_view<space, std::int64_t const> places(std::int64_t g) const noexcept {
    return places_.view().subview(begins_[g], begins_[g + 1] - begins_[g]);
  }

private:
  template <class T>
  static void remake(buffer<message_policy<Policy>, T>& list, std::int64_t size) {
    list.clear(); // nothing to keep
    list.resize(size);
  }

  Policy policy_;
  buffer<message_policy<Policy>, global_id> sorted_;
  buffer<message_policy<Policy>, std::int64_t> places_;
  buffer<message_policy<Policy>, global_id> distinct_;
  buffer<message_policy<Policy>, std::int64_t> begins_;
};

} // namespace glt::detail
