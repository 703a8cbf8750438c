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

/// Elements of a list as a function of their positions.
template <memory_space Space, class T>
struct element_at {
  array_view<Space, T const> elements;
  GLT_HOST_DEVICE T operator()(std::int64_t i) const { return elements[i]; }
};

inline void check_scan(std::int64_t in, std::int64_t out) {
  if (out != in && out != in + 1) {
    throw precondition_error(
        message("scan of ", in, " values into ", out, " places; give as many places as values, or one more"));
  }
}

} // namespace glt::detail

namespace glt::exec {

/// Runs everything in the calling thread, in index order.
struct sequential {
  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept {
    return glt::detail::host_accessible(space);
  }

  template <class F>
  void for_each(std::int64_t n, F f) const {
    for (std::int64_t i = 0; i < n; ++i) {
      f(i);
    }
  }

  template <class F>
  void for_ranges(std::int64_t n, std::int64_t, F f) const {
    if (n > 0) {
      f(std::int64_t{0}, n);
    }
  }

  template <class T, class F, class Op>
  [[nodiscard]] T reduce(std::int64_t n, T initial, F f, Op op) const {
    for (std::int64_t i = 0; i < n; ++i) {
      initial = op(initial, f(i));
    }
    return initial;
  }

  /// @throws precondition_error  if out is neither as long as in nor one longer
  template <memory_space Space, class In, class Out>
  void exclusive_scan(array_view<Space, In> in, array_view<Space, Out> out) const {
    exclusive_scan(in.size(), glt::detail::element_at<Space, std::remove_const_t<In>>{in}, out);
  }
  template <class F, memory_space Space, class Out>
  void exclusive_scan(std::int64_t n, F f, array_view<Space, Out> out) const {
    glt::detail::check_scan(n, out.size());
    Out sum{};
    for (std::int64_t i = 0; i < n; ++i) {
      Out const value = static_cast<Out>(f(i));
      out[i] = sum;
      sum += value;
    }
    if (out.size() > n) {
      out[n] = sum;
    }
  }

  template <memory_space Space, class Key, class Value>
  void sort_by_key(array_view<Space, Key> keys, array_view<Space, Value> values) const {
    glt::detail::radix_sort_by_key(keys, values);
  }

  template <class Predicate, memory_space Space, class Index>
  std::int64_t select_if(std::int64_t n, Predicate predicate, array_view<Space, Index> out) const {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (predicate(i)) {
        out[count++] = static_cast<Index>(i);
      }
    }
    return count;
  }
};

} // namespace glt::exec
