// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>

#if defined(__F16C__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

namespace glt::detail {

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
GLT_HOST_DEVICE void convert_elements(std::byte const* in, To* out, std::int64_t count, std::int64_t column,
                                      Convert convert) {
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

/// As `copy_rows`, with conversion of the elements; the rows may lie at any byte.
///
/// The result is made piece by piece in local memory and then written at once. A loop of known length becomes vector
/// code, and `Writes` may send the piece past the cache.
///
/// @cost   one read and one write of every element
template <class In, class Out, class From, class To, class Convert, class Writes = cached_writes>
struct convert_rows {
  std::byte const* in;
  std::byte* out;
  std::int64_t columns;
  From from;
  To to;
  Convert convert;

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    row_prefetcher<From> const ahead{in, columns * in_bytes, from};
    for (auto i = first; i < last; ++i) {
      ahead(i, last);
      auto const* const row = in + from(i) * columns * in_bytes;
      auto* const place = out + to(i) * columns * out_bytes;
      auto const rest = columns % piece;
      for (std::int64_t column = 0; column < columns - rest; column += piece) {
        alignas(64) Out converted[piece];
        convert_elements<In>(row + column * in_bytes, converted, piece, column, convert);
        Writes::copy(place + column * out_bytes, reinterpret_cast<std::byte const*>(converted), piece * out_bytes);
      }
      Out converted[piece];
      convert_elements<In>(row + (columns - rest) * in_bytes, converted, rest, columns - rest, convert);
      copy_bytes(place + (columns - rest) * out_bytes, converted, rest * out_bytes);
    }
    Writes::finish();
  }

private:
  static constexpr auto in_bytes = static_cast<std::int64_t>(sizeof(In));
  static constexpr auto out_bytes = static_cast<std::int64_t>(sizeof(Out));
  static constexpr std::int64_t piece = 32; // elements; loops of 16 or fewer are unrolled and then not vectorised
};

} // namespace glt::detail
