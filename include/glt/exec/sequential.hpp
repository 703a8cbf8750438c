// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/element_at.hpp>
#include <glt/exec/detail/radix_sort.hpp>

namespace glt::detail {

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
