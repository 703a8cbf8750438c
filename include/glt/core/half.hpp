// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/element_type.hpp>

#include <cstdint>
#include <cstring>

namespace glt {

namespace detail {

GLT_HOST_DEVICE inline std::uint32_t bits_of(float value) noexcept {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

GLT_HOST_DEVICE inline float float_of(std::uint32_t bits) noexcept {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Bits of a float that has exponent e and nothing else.
constexpr std::uint32_t exponent_bits(std::uint32_t e) noexcept {
  return e << 23;
}

// Uses no branches and only signed comparisons, so that loops over rows become vector code. A subnormal half becomes a
// normal float: its digits are put below a leading 1, which is then subtracted.
GLT_HOST_DEVICE inline float float_of_float16(std::uint16_t half) noexcept {
  auto const bits = std::uint32_t{half};
  auto const digits = (bits & 0x7FFFU) << 13;
  bool const is_subnormal = static_cast<std::int32_t>(digits) < static_cast<std::int32_t>(exponent_bits(1));
  bool const is_special = static_cast<std::int32_t>(digits) >= static_cast<std::int32_t>(exponent_bits(31));
  auto const leading = is_subnormal ? exponent_bits(1) : 0U;
  auto const taken = is_subnormal ? exponent_bits(127 - 14) : 0U;
  auto const infinite = is_special ? exponent_bits(255 - 31 - (127 - 15)) : 0U;
  auto const magnitude = float_of(digits + exponent_bits(127 - 15) + leading + infinite) - float_of(taken);
  return float_of(bits_of(magnitude) | (bits & 0x8000U) << 16);
}

GLT_HOST_DEVICE inline std::uint16_t float16_of_float(float value) noexcept {
  auto const bits = bits_of(value);
  auto const magnitude = bits & 0x7FFFFFFFU;
  auto const sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  std::uint32_t half;
  if (magnitude > exponent_bits(255)) {
    half = 0x7E00U | (magnitude >> 13 & 0x3FFU);
  } else if (magnitude >= exponent_bits(127 + 16)) {
    half = 0x7C00U;
  } else if (magnitude < exponent_bits(127 - 14)) {
    // The last digit of 0.5 has the weight of the last digit of a subnormal half: the addition rounds to it.
    auto const one_half = float_of(exponent_bits(126));
    half = bits_of(float_of(magnitude) + one_half) - bits_of(one_half);
  } else {
    half = (magnitude - exponent_bits(127 - 15) + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

GLT_HOST_DEVICE inline std::uint16_t bfloat16_of_float(float value) noexcept {
  auto const bits = bits_of(value);
  if ((bits & 0x7FFFFFFFU) > exponent_bits(255)) {
    return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

} // namespace detail

/// 16-bit number: sign, 5 bits of exponent, 10 bits of fraction (IEEE 754 binary16). For storage; compute in `float`,
/// which holds all its values.
///
/// Conversion from `float` rounds to the nearest, ties to even; from 65520 on to infinity. A NaN stays a NaN.
struct float16 {
  std::uint16_t bits;

  float16() = default;
  GLT_HOST_DEVICE explicit float16(float value) noexcept : bits(detail::float16_of_float(value)) {}
  GLT_HOST_DEVICE explicit operator float() const noexcept { return detail::float_of_float16(bits); }

  /// Returns the number with this representation.
  [[nodiscard]] GLT_HOST_DEVICE static float16 of_bits(std::uint16_t bits) noexcept {
    float16 made;
    made.bits = bits;
    return made;
  }
};

/// 16-bit number: the upper half of a `float`. For storage; compute in `float`, which holds all its values.
///
/// Conversion from `float` rounds to the nearest, ties to even. A NaN stays a NaN.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  GLT_HOST_DEVICE explicit bfloat16(float value) noexcept : bits(detail::bfloat16_of_float(value)) {}
  GLT_HOST_DEVICE explicit operator float() const noexcept { return detail::float_of(std::uint32_t{bits} << 16); }

  /// Returns the number with this representation.
  [[nodiscard]] GLT_HOST_DEVICE static bfloat16 of_bits(std::uint16_t bits) noexcept {
    bfloat16 made;
    made.bits = bits;
    return made;
  }
};

namespace detail {

template <>
inline constexpr element_type element_type_of<float16> = element_type::float16;

} // namespace detail
namespace detail {

template <>
inline constexpr element_type element_type_of<bfloat16> = element_type::bfloat16;

} // namespace detail

} // namespace glt
