// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/config.hpp>
#include <glt/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace glt::detail {

/// Fixed-point numbers whose sums do not depend on the order of their terms. They are multiples of a power of two, less
/// than 2⁵¹ in a term and less than 2⁶² in a sum.
struct fixed_point {
  template <class T>
  using sum_type = std::int64_t;

  double scale = 1;   // a power of two
  double inverse = 1; // 1 / scale

  /// Returns the nearest number: close to 1.5 · 2⁵², doubles are integers and differ by the difference of their bits.
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t of(T value) const {
    constexpr double one_and_a_half = 0x1.8p52;
    return __builtin_bit_cast(std::int64_t, static_cast<double>(value) * scale + one_and_a_half) -
           __builtin_bit_cast(std::int64_t, one_and_a_half);
  }
  [[nodiscard]] GLT_HOST_DEVICE double value(std::int64_t number) const {
    return static_cast<double>(number) * inverse;
  }

  /// Returns the numbers for sums of up to `terms` values of up to `largest`.
  [[nodiscard]] static fixed_point for_sums(double largest, double terms) {
    if (!(largest > 0)) {
      return {};
    }
    int const bits = std::min(50, 61 - std::ilogb(std::max(terms, 1.0)) - 1); // of a term
    int const exponent = std::min(bits - std::ilogb(largest) - 1, 1000);      // doubles end near 2⁻¹⁰²²
    return {std::ldexp(1.0, exponent), std::ldexp(1.0, -exponent)};
  }
};

/// Returns the value, or 1.79e308 if it is above 1.7e308 or not a number.
[[nodiscard]] GLT_HOST_DEVICE inline double finite_or_largest(double value) {
  return value <= 1.7e308 ? value : 1.79e308;
}

template <class T>
struct magnitude_of {
  T const* values;
  GLT_HOST_DEVICE double operator()(std::int64_t i) const {
    return finite_or_largest(values[i] < 0 ? -static_cast<double>(values[i]) : static_cast<double>(values[i]));
  }
};

struct larger_magnitude {
  GLT_HOST_DEVICE double operator()(double a, double b) const { return a < b ? b : a; }
};

template <class T>
struct write_exact_values {
  std::int64_t const* sums;
  T* values;
  fixed_point numbers;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { values[i] = static_cast<T>(numbers.value(sums[i])); }
};

/// Refuses values that are not finite, or too large to be added exactly.
///
/// @param  largest  the largest magnitude on this rank, by `magnitude_of` where values are not finite
/// @throws precondition_error  if `largest` is 1e150 or more
inline void check_summable(double largest) {
  if (!(largest < 1e150)) {
    throw precondition_error("values, weights or scores that are infinite, not a number, or 1e150 and more; "
                             "reproducible sums are of smaller ones");
  }
}

/// Agrees on the fixed-point numbers in which all ranks add up products of values and weights.
///
/// @param  most   the largest magnitudes of values and of weights on this rank, each below 1e150
/// @param  terms  the largest number of terms of a sum on any rank
/// @comm   collective; one reduction of two numbers
template <communicator Comm>
[[nodiscard]] fixed_point agree_on_fixed_point(Comm& comm, std::array<double, 2> most, double terms) {
  comm.all_reduce(std::span<double>(most), reduction::max);
  return fixed_point::for_sums(most[0] * most[1], terms);
}

} // namespace glt::detail
