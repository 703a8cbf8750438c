// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Address of item i of a copy: the start of row index(i) of a matrix.
template <class Byte, class Index>
struct rows_at {
  Byte* rows;
  std::int64_t row_bytes;
  Index index;

  [[nodiscard]] GLT_HOST_DEVICE Byte* operator()(std::int64_t i) const { return rows + index(i) * row_bytes; }
};

/// Neighbouring elements that are read or written at once: with one instruction if they have up to 16 bytes.
template <class T, int Count>
struct alignas(Count == 1 ? alignof(T) : std::min<std::size_t>(16, Count * sizeof(T))) element_run {
  T elements[Count];
};

// Loads a value at an aligned address, or at any address. On a GPU, an access by the type is one instruction; a
// `memcpy` to memory takes one instruction for every byte.
template <bool Aligned, class Value>
[[nodiscard]] GLT_HOST_DEVICE Value load_run(std::byte const* from) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (Aligned) {
    return *reinterpret_cast<Value const*>(from);
  }
#endif
  Value value;
  std::memcpy(&value, from, sizeof(Value));
  return value;
}
template <bool Aligned, class Value>
GLT_HOST_DEVICE void store_run(std::byte* to, Value const& value) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (Aligned) {
    *reinterpret_cast<Value*>(to) = value;
    return;
  }
#endif
  std::memcpy(to, &value, sizeof(Value));
}

/// Number of rows per index: their reads overlap.
inline constexpr int rows_in_flight = 4;

/// Returns the number of indices that so many rows need.
[[nodiscard]] constexpr std::int64_t groups_of_rows(std::int64_t rows) noexcept {
  return rows / rows_in_flight + (rows % rows_in_flight != 0 ? 1 : 0);
}

// Returns the last row again if there are no more: its bytes are then written twice, which needs no condition.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t row_of(std::int64_t first, int k, std::int64_t count) noexcept {
  return first + k < count ? first + k : count - 1;
}

/// Functor for `for_each_chunk` that copies a chunk of some rows.
///
/// @cost   one read and one write of every byte
template <class From, class To>
struct copy_chunks {
  From from; // i → std::byte const*
  To to;     // i → std::byte*
  std::int64_t count;
  int chunk_bytes; // 1, 2, 4, 8 or 16: divides the bytes of a row and every address

  GLT_HOST_DEVICE void operator()(std::int64_t group, std::int64_t chunk) const {
    switch (chunk_bytes) {
    case 16:
      copy<element_run<std::uint32_t, 4>>(group, chunk);
      break;
    case 8:
      copy<element_run<std::uint32_t, 2>>(group, chunk);
      break;
    case 4:
      copy<element_run<std::uint32_t, 1>>(group, chunk);
      break;
    case 2:
      copy<element_run<std::uint16_t, 1>>(group, chunk);
      break;
    default:
      copy<element_run<std::uint8_t, 1>>(group, chunk);
    }
  }

private:
  template <class Chunk>
  GLT_HOST_DEVICE void copy(std::int64_t group, std::int64_t chunk) const {
    auto const first = group * rows_in_flight;
    auto const byte = chunk * static_cast<std::int64_t>(sizeof(Chunk));
    Chunk held[rows_in_flight];
    for (int k = 0; k < rows_in_flight; ++k) {
      held[k] = load_run<true, Chunk>(from(row_of(first, k, count)) + byte);
    }
    for (int k = 0; k < rows_in_flight; ++k) {
      store_run<true>(to(row_of(first, k, count)) + byte, held[k]);
    }
  }
};

/// Access to the elements of rows.
enum class element_access {
  bytes,    ///< they may lie at any byte
  elements, ///< each is aligned as its type
  runs      ///< in runs of 4, which are aligned as a whole, or to 16 bytes
};

/// Functor for `for_each_chunk` that converts neighbouring elements of some rows.
///
/// @cost   one read and one write of every element
template <class In, class Out, class From, class To, class Convert>
struct convert_chunks {
  static constexpr int run_size = 4;

  From from; // i → std::byte const*
  To to;     // i → std::byte*
  std::int64_t count;
  element_access access; // a chunk is a run or an element
  Convert convert;

  GLT_HOST_DEVICE void operator()(std::int64_t group, std::int64_t chunk) const {
    switch (access) {
    case element_access::runs:
      convert_runs<run_size, true>(group, chunk);
      break;
    case element_access::elements:
      convert_runs<1, true>(group, chunk);
      break;
    default:
      convert_runs<1, false>(group, chunk);
    }
  }

  /// Returns the access that rows of these columns at these addresses allow.
  [[nodiscard]] static element_access access_of(std::int64_t columns, std::uintptr_t in, std::uintptr_t out) noexcept {
    if (columns % run_size == 0 && in % alignof(element_run<In, run_size>) == 0 &&
        out % alignof(element_run<Out, run_size>) == 0) {
      return element_access::runs;
    }
    return in % alignof(In) == 0 && out % alignof(Out) == 0 ? element_access::elements : element_access::bytes;
  }

private:
  template <int Count, bool Aligned>
  GLT_HOST_DEVICE void convert_runs(std::int64_t group, std::int64_t chunk) const {
    auto const first = group * rows_in_flight;
    auto const column = chunk * Count;
    element_run<In, Count> held[rows_in_flight];
    for (int k = 0; k < rows_in_flight; ++k) {
      auto const* const row = from(row_of(first, k, count));
      held[k] = load_run<Aligned, element_run<In, Count>>(row + column * static_cast<std::int64_t>(sizeof(In)));
    }
    for (int k = 0; k < rows_in_flight; ++k) {
      element_run<Out, Count> converted;
      for (int c = 0; c < Count; ++c) {
        converted.elements[c] = convert(held[k].elements[c], column + c);
      }
      auto* const row = to(row_of(first, k, count));
      store_run<Aligned>(row + column * static_cast<std::int64_t>(sizeof(Out)), converted);
    }
  }
};

/// Returns the largest power of two up to 16 that divides a number of bytes and or-ed addresses.
[[nodiscard]] constexpr int common_alignment(std::uintptr_t addresses, std::int64_t bytes) noexcept {
  auto const all = addresses | static_cast<std::uintptr_t>(bytes) | 16U;
  return 1 << std::countr_zero(all);
}

} // namespace glt::detail
