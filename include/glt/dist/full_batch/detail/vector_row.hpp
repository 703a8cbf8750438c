// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::detail {

/// Count · 32 bytes of a row, which stay in registers while terms are added. Compilers do not keep them there by
/// themselves if the number of terms is known only at run time.
template <class T, int Count>
class vector_row;

#if defined(__GNUC__) && !defined(__CUDACC__)
inline constexpr bool has_vector_rows = true;

template <class T, int Count>
class vector_row {
  using vector [[gnu::vector_size(32)]] = T;
  using loose_vector [[gnu::vector_size(32), gnu::aligned(alignof(T)), gnu::may_alias]] = T; // in rows

public:
  static constexpr std::int64_t per_vector = 32 / sizeof(T);
  static constexpr std::int64_t columns = Count * per_vector;

  [[gnu::always_inline]] vector_row() : parts_{} {}
  [[gnu::always_inline]] explicit vector_row(T const* from) {
    for (int v = 0; v < Count; ++v) {
      parts_[v] = *reinterpret_cast<loose_vector const*>(from + v * per_vector);
    }
  }
  [[gnu::always_inline]] void add(T const* from) {
#pragma GCC unroll 16
    for (int v = 0; v < Count; ++v) {
      parts_[v] += *reinterpret_cast<loose_vector const*>(from + v * per_vector);
    }
  }
  [[gnu::always_inline]] void add(T factor, T const* from) {
#pragma GCC unroll 16
    for (int v = 0; v < Count; ++v) {
      parts_[v] += factor * *reinterpret_cast<loose_vector const*>(from + v * per_vector);
    }
  }
  [[gnu::always_inline]] void store(T* to) const {
    for (int v = 0; v < Count; ++v) {
      *reinterpret_cast<loose_vector*>(to + v * per_vector) = parts_[v];
    }
  }

private:
  vector parts_[Count];
};
#else
inline constexpr bool has_vector_rows = false; // nvcc has none
#endif

} // namespace glt::detail
