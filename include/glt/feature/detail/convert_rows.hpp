// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#endif

#if defined(__F16C__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

namespace glt::detail {

/// Map for copies in which item i is row i.
struct rows_in_order {
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return i; }
};

/// Map for copies in which item i is the row that element i of an array names.
template <class Id>
struct rows_listed {
  Id const* ids;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return ids[i]; }
};

/// Number of rows by which reads at random places are asked for in advance, so that they overlap.
inline constexpr std::int64_t prefetched_rows = 8;

/// Prefetches the first bytes of a row; the processor prefetches the rest of a longer one by itself.
GLT_HOST_DEVICE inline void prefetch_row(std::byte const* row, std::int64_t row_bytes) {
  constexpr std::int64_t line_bytes = 64;
  auto const asked = row_bytes < 8 * line_bytes ? row_bytes : 8 * line_bytes;
  for (std::int64_t byte = 0; byte < asked; byte += line_bytes) {
    prefetch(row + byte);
  }
}

/// Copies bytes that the writer will not read soon. If the processor can, whole lines to the beginning of a line go
/// past its cache; otherwise the same as `copy_bytes`.
///
/// Other threads may see the bytes after `finish_streams`.
inline void stream_bytes(void* to, void const* from, std::int64_t bytes) noexcept {
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
  constexpr std::int64_t line_bytes = 64;
  if (bytes % line_bytes == 0 && reinterpret_cast<std::uintptr_t>(to) % line_bytes == 0) {
    auto const* in = static_cast<__m128i const*>(from);
    auto* out = static_cast<__m128i*>(to);
    for (auto lines = bytes / line_bytes; lines > 0; --lines, in += 4, out += 4) {
      auto const first = _mm_loadu_si128(in);
      auto const second = _mm_loadu_si128(in + 1);
      auto const third = _mm_loadu_si128(in + 2);
      auto const fourth = _mm_loadu_si128(in + 3);
      _mm_stream_si128(out, first);
      _mm_stream_si128(out + 1, second);
      _mm_stream_si128(out + 2, third);
      _mm_stream_si128(out + 3, fourth);
    }
    return;
  }
#endif
  copy_bytes(to, from, bytes);
}

/// Orders the streamed writes of the calling thread before its later writes.
inline void finish_streams() noexcept {
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
  _mm_sfence();
#endif
}

/// Writes of rows through the cache.
struct cached_writes {
  static void copy(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept { copy_bytes(to, from, bytes); }
  static void finish() noexcept {}
};

/// Writes of rows past the cache: faster if several ranks or threads share the memory's bandwidth.
struct streamed_writes {
  static void copy(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept { stream_bytes(to, from, bytes); }
  static void finish() noexcept { finish_streams(); }
};

/// Fewest rows that are worth a separate range.
inline constexpr std::int64_t copied_rows_per_range = 64;

/// Element types of columns: the types that have an `element_type`.
template <class T>
concept element = std::same_as<T, std::int8_t> || std::same_as<T, std::uint8_t> || std::same_as<T, std::int16_t> ||
                  std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, float16> ||
                  std::same_as<T, bfloat16> || std::same_as<T, float> || std::same_as<T, double>;

/// Element types that `gather_rows` can convert: any type to `float` or `double`, and `float` to 16 bits. A value that
/// `To` cannot hold is rounded to the nearest number, ties to even.
template <class From, class To>
concept converts_to = element<From> && !std::same_as<From, To> &&
                      (std::same_as<To, float> || std::same_as<To, double> ||
                       (std::same_as<From, float> && (std::same_as<To, float16> || std::same_as<To, bfloat16>)));

/// Element types as which rows can be gathered.
template <class From, class To>
concept gathers_as = std::same_as<From, To> || converts_to<From, To>;

/// Converter of an element to another type, whatever its column.
template <class From, class To>
struct cast_element {
  GLT_HOST_DEVICE To operator()(From value, std::int64_t) const noexcept {
    if constexpr (std::is_same_v<From, float16> || std::is_same_v<From, bfloat16>) {
      return static_cast<To>(static_cast<float>(value));
    } else {
      return static_cast<To>(value);
    }
  }
};

/// Converter that multiplies an element by the scale of its column; rounds once if it has no more digits than `To`.
template <class From, class To>
struct scale_element {
  float const* scales; // [F]
  GLT_HOST_DEVICE To operator()(From value, std::int64_t column) const noexcept {
    return static_cast<To>(value) * static_cast<To>(scales[column]);
  }
};

/// Converts `count` neighbouring elements that may lie at any byte.
template <class From, class To, class Convert>
void convert_elements(std::byte const* in, To* out, std::int64_t count, std::int64_t column, Convert convert) {
  std::int64_t i = 0;
#if defined(__F16C__) && !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Convert, cast_element<float16, float>>) {
    for (; i + 8 <= count; i += 8) {
      auto const halves = _mm_loadu_si128(reinterpret_cast<__m128i const*>(in + i * 2));
      _mm256_storeu_ps(out + i, _mm256_cvtph_ps(halves));
    }
  }
#endif
  for (; i < count; ++i) {
    From value;
    std::memcpy(&value, in + i * static_cast<std::int64_t>(sizeof(From)), sizeof(From));
    out[i] = convert(value, column + i);
  }
}

/// Writes the elements of a row as another type; rows may lie at any byte.
///
/// The result is made piece by piece in local memory and then written at once. A loop of known length becomes vector
/// code, and `Writes` may send the piece past the cache.
template <class In, class Out, class Writes, class Convert>
void convert_row(std::byte const* in, std::byte* out, std::int64_t columns, Convert convert) {
  constexpr auto in_bytes = static_cast<std::int64_t>(sizeof(In));
  constexpr auto out_bytes = static_cast<std::int64_t>(sizeof(Out));
  constexpr std::int64_t piece = 32; // elements; loops of 16 or fewer are unrolled and then not vectorised
  auto const rest = columns % piece;
  for (std::int64_t column = 0; column < columns - rest; column += piece) {
    alignas(64) Out converted[piece];
    convert_elements<In>(in + column * in_bytes, converted, piece, column, convert);
    Writes::copy(out + column * out_bytes, reinterpret_cast<std::byte const*>(converted), piece * out_bytes);
  }
  Out converted[piece];
  convert_elements<In>(in + (columns - rest) * in_bytes, converted, rest, columns - rest, convert);
  copy_bytes(out + (columns - rest) * out_bytes, converted, rest * out_bytes);
}

/// Writing of one row by a host executor: its bytes, or its elements as another type. Types are known only to the
/// function, so that loops over rows are compiled once for all types.
struct row_transfer {
  std::int64_t row_bytes = 0; // as they are read
  std::int64_t columns = 0;
  float const* scales = nullptr; // [columns], or null
  void (*convert)(std::byte const* in, std::byte* out, std::int64_t columns, float const* scales) = nullptr;

  [[nodiscard]] static row_transfer of_bytes(std::int64_t row_bytes) noexcept { return {row_bytes}; }

  /// Returns the transfer of rows of `In` to rows of `Out`; of integers with the scale of their column, if there are
  /// scales.
  template <class In, class Out, class Writes>
    requires gathers_as<In, Out>
  [[nodiscard]] static row_transfer of(std::int64_t columns, float const* scales) noexcept {
    row_transfer transfer{columns * static_cast<std::int64_t>(sizeof(In)), columns, scales};
    if constexpr (!std::is_same_v<In, Out>) {
      transfer.convert = [](std::byte const* in, std::byte* out, std::int64_t count, float const* by) {
        if constexpr (std::is_integral_v<In>) {
          if (by != nullptr) {
            convert_row<In, Out, Writes>(in, out, count, scale_element<In, Out>{by});
            return;
          }
        }
        convert_row<In, Out, Writes>(in, out, count, cast_element<In, Out>{});
      };
    }
    return transfer;
  }
};

} // namespace glt::detail
