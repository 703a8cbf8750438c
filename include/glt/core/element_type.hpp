// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace glt {

/// Element type of an array that is known only at run time, such as an array from a file.
enum class element_type : std::uint8_t { int8, uint8, int16, int32, int64, float16, bfloat16, float32, float64 };

namespace detail {

struct element_traits {
  std::string_view name;
  std::int64_t size;
};

// In the order of `element_type`.
inline constexpr std::array<element_traits, 9> element_table{{{"int8", 1},
                                                              {"uint8", 1},
                                                              {"int16", 2},
                                                              {"int32", 4},
                                                              {"int64", 8},
                                                              {"float16", 2},
                                                              {"bfloat16", 2},
                                                              {"float32", 4},
                                                              {"float64", 8}}};

/// Returns NumPy's name of an element type, such as "float32"; "bfloat16" as well, which NumPy does not have.
[[nodiscard]] constexpr std::string_view name_of(element_type type) noexcept {
  return detail::element_table[static_cast<std::size_t>(type)].name;
}

[[nodiscard]] constexpr std::int64_t size_of(element_type type) noexcept {
  return detail::element_table[static_cast<std::size_t>(type)].size;
}

/// Returns the element type of a name that `name_of` gives; nothing for other names.
[[nodiscard]] constexpr std::optional<element_type> find_element_type(std::string_view name) noexcept {
  for (std::size_t i = 0; i < detail::element_table.size(); ++i) {
    if (detail::element_table[i].name == name) {
      return static_cast<element_type>(i);
    }
  }
  return std::nullopt;
}

template <class T>
inline constexpr element_type element_type_of = [] {
  if constexpr (std::same_as<T, std::int8_t>) {
    return element_type::int8;
  } else if constexpr (std::same_as<T, std::uint8_t>) {
    return element_type::uint8;
  } else if constexpr (std::same_as<T, std::int16_t>) {
    return element_type::int16;
  } else if constexpr (std::same_as<T, std::int32_t>) {
    return element_type::int32;
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return element_type::int64;
  } else if constexpr (std::same_as<T, float>) {
    return element_type::float32;
  } else {
    static_assert(std::same_as<T, double>, "no element type of this name; specialise element_type_of");
    return element_type::float64;
  }
}();

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

template <>
inline constexpr element_type element_type_of<bfloat16> = element_type::bfloat16;

/// Calls visit(std::type_identity<T>{}) with the C++ type of an element type, and returns its result.
template <class Visitor>
constexpr decltype(auto) visit_element(element_type type, Visitor&& visit) {
  switch (type) {
  case element_type::int8:
    return visit(std::type_identity<std::int8_t>{});
  case element_type::uint8:
    return visit(std::type_identity<std::uint8_t>{});
  case element_type::int16:
    return visit(std::type_identity<std::int16_t>{});
  case element_type::int32:
    return visit(std::type_identity<std::int32_t>{});
  case element_type::int64:
    return visit(std::type_identity<std::int64_t>{});
  case element_type::float16:
    return visit(std::type_identity<float16>{});
  case element_type::bfloat16:
    return visit(std::type_identity<bfloat16>{});
  case element_type::float32:
    return visit(std::type_identity<float>{});
  case element_type::float64:
    break;
  }
  return visit(std::type_identity<double>{});
}

} // namespace detail

} // namespace glt
