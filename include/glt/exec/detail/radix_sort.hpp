// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

// Order-preserving image of an integer among the unsigned ones: the sign bit is flipped.
template <std::integral Key>
constexpr std::make_unsigned_t<Key> radix_image(Key key) noexcept {
  using image = std::make_unsigned_t<Key>;
  if constexpr (std::is_signed_v<Key>) {
    return static_cast<image>(static_cast<image>(key) ^ (image{1} << (std::numeric_limits<image>::digits - 1)));
  } else {
    return key;
  }
}

inline void check_sort(std::int64_t keys, std::int64_t values) {
  if (keys != values) {
    throw precondition_error(message("sort of ", keys, " keys with ", values, " values; give one value per key"));
  }
}

/// Sorts integer keys ascending and moves the values along; equal keys keep their order.
///
/// @shape  keys [n] · values [n]
/// @throws precondition_error  if the lengths differ
/// @cost   O(n) per 11 key bits that differ between keys; one copy of keys and values beside the input
/// @source LSD radix sort, Knuth, TAOCP vol. 3, 5.2.5
template <memory_space Space, std::integral Key, class Value>
void radix_sort_by_key(array_view<Space, Key> keys, array_view<Space, Value> values) {
  static_assert(host_accessible(Space));
  check_sort(keys.size(), values.size());
  constexpr int digit_bits = 11;
  constexpr std::size_t buckets = std::size_t{1} << digit_bits;
  constexpr int key_bits = std::numeric_limits<std::make_unsigned_t<Key>>::digits;
  auto const n = keys.size();
  std::make_unsigned_t<Key> differing = 0;
  for (std::int64_t i = 1; i < n; ++i) {
    differing |= static_cast<std::make_unsigned_t<Key>>(radix_image(keys[i]) ^ radix_image(keys[0]));
  }
  if (differing == 0) {
    return;
  }
  auto const spare_keys = std::make_unique_for_overwrite<Key[]>(static_cast<std::size_t>(n));
  auto const spare_values = std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(n));
  Key* from_keys = keys.data();
  Value* from_values = values.data();
  Key* to_keys = spare_keys.get();
  Value* to_values = spare_values.get();
  for (int shift = 0; shift < key_bits; shift += digit_bits) {
    if (((differing >> shift) & (buckets - 1)) == 0) {
      continue;
    }
    auto const digit = [shift](Key key) { return static_cast<std::size_t>(radix_image(key) >> shift) & (buckets - 1); };
    std::array<std::int64_t, buckets> place{};
    for (std::int64_t i = 0; i < n; ++i) {
      ++place[digit(from_keys[i])];
    }
    std::int64_t sum = 0;
    for (auto& count : place) {
      sum += std::exchange(count, sum);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      auto const to = place[digit(from_keys[i])]++;
      to_keys[to] = from_keys[i];
      to_values[to] = from_values[i];
    }
    std::swap(from_keys, to_keys);
    std::swap(from_values, to_values);
  }
  if (from_keys != keys.data()) {
    for (std::int64_t i = 0; i < n; ++i) {
      keys[i] = from_keys[i];
      values[i] = from_values[i];
    }
  }
}

} // namespace glt::detail
