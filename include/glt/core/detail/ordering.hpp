// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Returns the first i in [low, high) for which `holds(i)` is true; `high` if there is none.
///
/// @pre    where it is true, it is true for all greater i; not checked
/// @cost   O(log(high − low))
template <class Holds>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t first_where(std::int64_t low, std::int64_t high,
                                                                 Holds const& holds) {
  while (low < high) {
    std::int64_t const middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The heaps of the standard library for code that also runs on devices; `less(a, b)` is a strict order. As
// there, the largest element comes first and heap[i] is not less than heap[2 i + 1] and heap[2 i + 2].

/// Moves the element at `place` down until the heap below it is one again.
template <class T, class Less>
GLT_HOST_DEVICE constexpr void sift_down(T* heap, std::int64_t size, std::int64_t place, Less less) noexcept {
  T const moved = heap[place];
  for (std::int64_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size && less(heap[child], heap[child + 1])) {
      ++child;
    }
    if (!less(moved, heap[child])) {
      break;
    }
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = moved;
}

/// @cost   O(size)
template <class T, class Less>
GLT_HOST_DEVICE constexpr void make_heap(T* heap, std::int64_t size, Less less) noexcept {
  for (std::int64_t place = size / 2; place > 0; --place) {
    sift_down(heap, size, place - 1, less);
  }
}

/// Sorts ascending, in place; equal elements may change their order.
///
/// @cost   O(size log size), no memory
/// @source Williams, "Algorithm 232: Heapsort", CACM 7(6), 1964
template <class T, class Less>
GLT_HOST_DEVICE constexpr void heap_sort(T* values, std::int64_t size, Less less) noexcept {
  make_heap(values, size, less);
  for (std::int64_t last = size - 1; last > 0; --last) {
    T const largest = values[0];
    values[0] = values[last];
    values[last] = largest;
    sift_down(values, last, 0, less);
  }
}

/// Finds the `count` of `size` positions that have the smallest keys, of equal keys the first; writes them in
/// ascending order.
///
/// A heap in `out` keeps the smallest so far; a comparison computes their keys again.
///
/// @pre    0 < count <= size; not checked
/// @cost   O(size) keys, and O(count · log(count) · log(size / count)) more if they are in random order; no
///         memory beside out
template <class KeyOf, class Position>
GLT_HOST_DEVICE constexpr void pick_smallest(KeyOf const& key_of, std::int64_t size, std::int64_t count,
                                             Position* out) noexcept {
  auto const smaller = [&key_of](Position a, Position b) {
    auto const of_a = key_of(a);
    auto const of_b = key_of(b);
    return of_a != of_b ? of_a < of_b : a < b;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<Position>(i);
  }
  make_heap(out, count, smaller);
  auto largest = key_of(out[0]);
  for (std::int64_t i = count; i < size; ++i) {
    if (key_of(i) < largest) {
      out[0] = static_cast<Position>(i);
      sift_down(out, count, 0, smaller);
      largest = key_of(out[0]);
    }
  }
  heap_sort(out, count, [](Position a, Position b) { return a < b; });
}

} // namespace glt::detail
