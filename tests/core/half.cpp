// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/element_type.hpp>
#include <glt/core/types.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

using glt::bfloat16;
using glt::float16;

static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);
static_assert(glt::bytes_copyable<float16> && glt::bytes_copyable<bfloat16>);
static_assert(std::is_trivially_default_constructible_v<float16>);
static_assert(!std::is_convertible_v<float, float16> && !std::is_convertible_v<float16, float>);
static_assert(glt::detail::element_type_of<float16> == glt::element_type::float16);
static_assert(glt::detail::element_type_of<bfloat16> == glt::element_type::bfloat16);

namespace {

constexpr std::uint32_t patterns = 65536;

// The value of a pattern by the definition of the format, in double.
double value_of(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  auto const fraction = static_cast<double>(bits & ((1U << fraction_bits) - 1));
  auto const exponent = static_cast<int>(bits >> fraction_bits & ((1U << exponent_bits) - 1));
  auto const bias = (1 << (exponent_bits - 1)) - 1;
  double const sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias - fraction_bits)
                       : sign * std::ldexp(fraction + std::ldexp(1.0, fraction_bits), exponent - bias - fraction_bits);
}

template <class Half>
struct format;
template <>
struct format<float16> {
  static constexpr int exponent = 5;
  static constexpr int fraction = 10;
};
template <>
struct format<bfloat16> {
  static constexpr int exponent = 8;
  static constexpr int fraction = 7;
};

template <class Half>
double oracle(std::uint32_t bits) {
  return value_of(bits, format<Half>::exponent, format<Half>::fraction);
}

// The pattern that a float must become, by search among all finite ones.
template <class Half>
std::uint32_t nearest(float value) {
  static std::vector<double> const magnitudes = [] {
    std::vector<double> made;
    for (std::uint32_t bits = 0; !std::isinf(oracle<Half>(bits)); ++bits) {
      made.push_back(oracle<Half>(bits));
    }
    return made;
  }();
  std::uint32_t const sign = std::signbit(value) ? 0x8000U : 0;
  double const size = std::fabs(static_cast<double>(value));
  auto const last = magnitudes.size() - 1;
  // Infinity takes the place of the number that would come next.
  auto const step = magnitudes[last] - magnitudes[last - 1];
  if (size >= magnitudes[last] + step / 2) {
    return sign | static_cast<std::uint32_t>(last + 1);
  }
  auto const above = static_cast<std::size_t>(std::ranges::lower_bound(magnitudes, size) - magnitudes.begin());
  if (above > last) {
    return sign | static_cast<std::uint32_t>(last);
  }
  if (above == 0 || magnitudes[above] == size) {
    return sign | static_cast<std::uint32_t>(above);
  }
  auto const up = magnitudes[above] - size;
  auto const down = size - magnitudes[above - 1];
  bool const takes_lower = down < up || (down == up && (above - 1) % 2 == 0);
  return sign | static_cast<std::uint32_t>(takes_lower ? above - 1 : above);
}

} // namespace

TEST_CASE_TEMPLATE("every pattern has the value of its format, and comes back from float", Half, float16, bfloat16) {
  std::int64_t wrong = 0;
  std::int64_t lost = 0;
  for (std::uint32_t bits = 0; bits < patterns; ++bits) {
    auto const half = Half::of_bits(static_cast<std::uint16_t>(bits));
    auto const found = static_cast<float>(half);
    auto const expected = oracle<Half>(bits);
    if (std::isnan(expected)) {
      wrong += std::isnan(found) ? 0 : 1;
      auto const quiet = 1U << (format<Half>::fraction - 1);
      lost += (Half(found).bits | quiet) == (bits | quiet) ? 0 : 1;
      continue;
    }
    bool const same_sign = std::signbit(found) == ((bits & 0x8000U) != 0);
    wrong += static_cast<double>(found) == expected && same_sign ? 0 : 1;
    lost += Half(found).bits == bits ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(lost == 0);
}

TEST_CASE_TEMPLATE("floats round to the nearest number, ties to the even one", Half, float16, bfloat16) {
  std::int64_t wrong = 0;
  auto const check = [&](float value) { wrong += Half(value).bits == nearest<Half>(value) ? 0 : 1; };
  // Around every number, and around the middle between it and the next.
  for (std::uint32_t bits = 0; !std::isinf(oracle<Half>(bits)); ++bits) {
    auto const here = static_cast<float>(oracle<Half>(bits));
    auto const next = oracle<Half>(bits + 1);
    auto const gap = std::isinf(next) ? oracle<Half>(bits) - oracle<Half>(bits - 1) : next - oracle<Half>(bits);
    auto const middle = static_cast<float>(oracle<Half>(bits) + gap / 2);
    for (float const value : {here, middle}) {
      for (float const beside : {value, std::nextafterf(value, 0), std::nextafterf(value, HUGE_VALF)}) {
        check(beside);
        check(-beside);
      }
    }
  }
  // All over the range of float, subnormal ones included.
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    auto const value = glt::detail::float_of(i * 42'949U);
    if (!std::isnan(value)) {
      check(value);
    }
  }
  for (float const value : {65504.0F, 65519.9F, 65520.0F, 65536.0F, std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min()}) {
    check(value);
    check(-value);
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("a NaN stays a NaN of its sign, whatever digits are cut", Half, float16, bfloat16) {
  for (std::uint32_t const bits : {0x7F800001U, 0x7FC00000U, 0x7FFFFFFFU, 0xFF800001U, 0xFFFFFFFFU}) {
    auto const half = Half(glt::detail::float_of(bits));
    CHECK(std::isnan(static_cast<float>(half)));
    CHECK((half.bits & 0x8000U) == (bits >> 16 & 0x8000U));
  }
}
