// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/column_sums.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Fixed-point numbers whose sums do not depend on the order of their terms. They are multiples of a power of two, less
/// than 2⁵¹ in a term and less than 2⁶² in a sum.
struct fixed_point {
  double scale = 1; // a power of two

  static constexpr double one_and_a_half = 0x1.8p52;

  /// Returns the nearest number and the bits of `one_and_a_half`: close to it, doubles are integers and differ by the
  /// difference of their bits.
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE std::uint64_t shifted(T value) const {
    return __builtin_bit_cast(std::uint64_t, static_cast<double>(value) * scale + one_and_a_half);
  }
  /// Returns a sum without the bits that came with `Count` terms.
  template <int Count>
  [[nodiscard]] static GLT_HOST_DEVICE std::int64_t settled(std::uint64_t sum) {
    return static_cast<std::int64_t>(sum - std::uint64_t{Count} * __builtin_bit_cast(std::uint64_t, one_and_a_half));
  }
  /// Returns the nearest number.
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t of(T value) const {
    return settled<1>(shifted(value));
  }
  /// Returns the value of a number, by operations that compilers vectorise.
  [[nodiscard]] GLT_HOST_DEVICE double value(std::int64_t number) const {
    // both halves are the last bits of a double near 2⁵²; the upper half is signed
    constexpr std::uint64_t exponent = std::uint64_t{1075} << 52;
    auto const bits = static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63);
    auto const lower = __builtin_bit_cast(double, exponent | (bits & 0xffffffffU)) - 0x1p52;
    auto const upper = __builtin_bit_cast(double, exponent | (bits >> 32)) - (0x1p52 + 0x1p31);
    // the inverse of the scale has the exponent of the other sign
    auto const inverse = (std::uint64_t{2046} << 52) - __builtin_bit_cast(std::uint64_t, scale);
    return (upper * 0x1p32 + lower) * __builtin_bit_cast(double, inverse);
  }

  /// Returns the numbers for sums of up to `terms` values of up to `largest`.
  ///
  /// A term is rounded by at most 2⁻⁵⁰ · largest; in sums of more than 2¹⁰ terms, by at most
  /// terms · 2⁻⁶⁰ · largest.
  [[nodiscard]] static fixed_point for_sums(double largest, double terms) {
    if (!(largest > 0)) {
      return {};
    }
    int const bits = std::min(50, 61 - std::ilogb(std::max(terms, 1.0)) - 1); // of a term
    int const exponent = std::min(bits - std::ilogb(largest) - 1, 1000);      // doubles end not far below 2⁻¹⁰⁰⁰
    return {std::ldexp(1.0, exponent)};
  }
};

/// Fixed-point numbers of rows, with one scale a column: small columns keep their bits beside large ones.
struct fixed_columns {
  template <class T>
  using sum_type = std::int64_t;
  template <class T>
  using running_type = std::uint64_t;

  double const* scales = nullptr; // [columns], of `fixed_point`, in the memory of the rows

  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t of(T value, std::int64_t column) const {
    return fixed_point{scales[column]}.of(value);
  }
  /// See `plain_terms`.
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE std::uint64_t shifted(T value, std::int64_t column) const {
    return fixed_point{scales[column]}.shifted(value);
  }
  template <int Count>
  [[nodiscard]] static GLT_HOST_DEVICE std::int64_t settled(std::uint64_t sum) {
    return fixed_point::settled<Count>(sum);
  }
  [[nodiscard]] GLT_HOST_DEVICE fixed_columns from(std::int64_t first) const { return {scales + first}; }
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
  strided_rows<std::int64_t> sums;
  strided_rows<T> values;
  sliced_rows pieces;
  fixed_columns numbers;
  [[gnu::always_inline]] GLT_HOST_DEVICE void run(std::int64_t i) const {
    auto const first = pieces.first(i);
    std::int64_t const* __restrict const from = sums.row(pieces.row(i));
    T* __restrict const to = values.row(pieces.row(i));
    for (auto c = first; c < first + pieces.width; ++c) {
      to[c] = static_cast<T>(fixed_point{numbers.scales[c]}.value(from[c]));
    }
  }
};

template <device_policy Policy, class T>
void write_exact(Policy const& policy, strided_rows<std::int64_t> sums, strided_rows<T> values, std::int64_t rows,
                 std::int64_t columns, fixed_columns numbers) {
  auto const pieces = sliced_rows::of<Policy>(columns);
  policy.executor().for_each(pieces.count(rows), wide_kernel{write_exact_values<T>{sums, values, pieces, numbers}});
}

/// Copies scales of columns behind sums in the memory of `Policy`.
template <device_policy Policy>
[[nodiscard]] fixed_columns place_scales(Policy const& policy, std::vector<double> const& scales,
                                         std::int64_t* behind) {
  auto* const place = reinterpret_cast<double*>(behind);
  copy_in(policy, host_view<double const>(scales), array_view<Policy::space, double>(place, std::ssize(scales)));
  return {place};
}

/// Non-negative number whose `+=` keeps the larger of two.
struct largest_number {
  double value = 0;
  GLT_HOST_DEVICE largest_number& operator+=(largest_number const& other) {
    value = value < other.value ? other.value : value;
    return *this;
  }
};

template <memory_space Space, class T>
struct element_magnitude {
  matrix_view<Space, T const> x;
  GLT_HOST_DEVICE largest_number operator()(std::int64_t row, std::int64_t column) const {
    auto const value = static_cast<double>(x(row, column));
    return {finite_or_largest(value < 0 ? -value : value)};
  }
};

/// Writes the largest magnitude of each column; values that are not finite count as 1.79e308.
///
/// @shape  largest [matrix.columns()], written
template <device_policy Policy, class T>
void write_column_magnitudes(Policy const& policy, matrix_view<Policy::space, T const> matrix, double* largest) {
  for (auto const [value] : column_sums<largest_number>(policy, matrix.rows(), matrix.columns(),
                                                        element_magnitude<Policy::space, T>{matrix})) {
    *largest++ = value;
  }
}

/// Refuses values that are not finite, or too large to be added exactly.
///
/// @param  largest  magnitudes on this rank, by `finite_or_largest`
/// @throws precondition_error  if a magnitude is 1e150 or more
inline void check_summable(std::span<double const> largest) {
  if (!std::ranges::all_of(largest, [](double value) { return value < 1e150; })) {
    throw precondition_error("values, weights or scores that are infinite, not a number, or 1e150 and more; "
                             "reproducible sums are of smaller ones");
  }
}

} // namespace glt::detail
