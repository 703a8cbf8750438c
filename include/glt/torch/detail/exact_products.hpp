// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <torch/types.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace glt::detail {

/// Two slices of integers, as doubles: an element is (high + low · 2^−bits) / scale. The error is at most 2^(−2 · bits
/// − 1) of the largest element with the same scale.
struct sliced_matrix {
  at::Tensor high;
  at::Tensor low;
};

/// Sums of products of slices, in integers; they do not depend on the order of the terms.
///
/// @shape  [m, n], of 64-bit integers
struct exact_sums {
  at::Tensor high; // of high · high
  at::Tensor low;  // of high · low + low · high

  [[nodiscard]] static exact_sums zeros(std::int64_t m, std::int64_t n) {
    auto const integers = at::TensorOptions().dtype(at::kLong);
    return {at::zeros({m, n}, integers), at::zeros({m, n}, integers)};
  }
};

/// Returns the number of bits of a slice of which `terms` products can be added up.
[[nodiscard]] inline int slice_bits(std::int64_t terms) {
  int const bits_of_sum =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(terms, 1))));
  return std::min(20, (62 - bits_of_sum) / 2);
}

/// Returns the number of products that doubles add up exactly.
[[nodiscard]] inline std::int64_t most_terms(int bits) {
  return std::int64_t{1} << (52 - 2 * bits);
}

/// Returns the largest magnitudes along a dimension; NaN if one of them is NaN.
///
/// @shape  matrix [n, k] → [n, 1] along dimension 1, [1, k] along 0, of doubles
[[nodiscard]] inline at::Tensor largest_along(at::Tensor const& matrix, std::int64_t dimension) {
  if (matrix.size(dimension) == 0) {
    return at::zeros({dimension == 1 ? matrix.size(0) : 1, dimension == 0 ? matrix.size(1) : 1}, at::kDouble);
  }
  return matrix.abs().amax(dimension, /*keepdim=*/true).to(at::kDouble);
}

/// Returns the powers of two that bring magnitudes of up to `largest` to at most 2^bits; infinite ones count as 1.
[[nodiscard]] inline at::Tensor scales_of(at::Tensor const& largest, int bits) {
  auto const scales = largest.contiguous().clone();
  auto* const values = scales.data_ptr<double>();
  for (std::int64_t i = 0; i < scales.numel(); ++i) {
    bool const usable = values[i] > 0 && values[i] <= std::numeric_limits<double>::max();
    values[i] = std::ldexp(1.0, std::min(bits - (usable ? std::ilogb(values[i]) + 1 : 0), 1000));
  }
  return scales;
}

/// Returns the slices of a matrix.
///
/// @shape  matrix [n, k] · scales [n, 1] or [1, k]
[[nodiscard]] inline sliced_matrix slice(at::Tensor const& matrix, at::Tensor const& scales, int bits) {
  auto low = matrix.to(at::kDouble) * scales;
  auto const high = low.round();
  low.sub_(high).mul_(std::ldexp(1.0, bits)).round_();
  return {high, low};
}

/// Adds the products a b of slices.
///
/// @shape  a [m, k] · b [k, n], where k is at most `most_terms`
/// @cost   three products of matrices of doubles
/// @source Ozaki et al., "Error-free transformations of matrix multiplication by using fast routines of matrix
///         multiplication and its applications", Numerical Algorithms 59, 2012
inline void add_products(exact_sums& sums, sliced_matrix const& a, sliced_matrix const& b) {
  sums.high += a.high.mm(b.high).to(at::kLong);
  sums.low += a.high.mm(b.low).addmm_(a.low, b.high).to(at::kLong);
}

/// Returns the value of sums of products.
///
/// @shape  scales [m, 1] and [1, n] → [m, n], of doubles
[[nodiscard]] inline at::Tensor value_of(exact_sums const& sums, at::Tensor const& scales_of_a,
                                         at::Tensor const& scales_of_b, int bits) {
  auto const sum = sums.high.to(at::kDouble) + sums.low.to(at::kDouble) * std::ldexp(1.0, -bits);
  return sum / scales_of_b / scales_of_a;
}

/// Returns Σ over rows v of a_v ⊗ b_v.
///
/// @shape  a [k, m] · b [k, n] · scales [1, m] and [1, n]
[[nodiscard]] inline exact_sums multiply_columns(at::Tensor const& a, at::Tensor const& b,
                                                 at::Tensor const& scales_of_a, at::Tensor const& scales_of_b,
                                                 int bits) {
  auto sums = exact_sums::zeros(a.size(1), b.size(1));
  auto const piece = most_terms(bits);
  for (std::int64_t first = 0; first < a.size(0); first += piece) {
    auto const rows = std::min(piece, a.size(0) - first);
    auto const of_a = slice(a.narrow(0, first, rows), scales_of_a, bits);
    add_products(sums, {of_a.high.t(), of_a.low.t()}, slice(b.narrow(0, first, rows), scales_of_b, bits));
  }
  return sums;
}

/// Returns the product a b. The bits of a row do not depend on the other rows.
///
/// Column j of a is scaled by m_j, the largest magnitude in row j of b. Small columns thus keep their bits beside large
/// ones, if b makes up for the difference. Element ic is off by at most k · 2^(3 − 2 · bits) of max_j |a_ij| m_j ·
/// max_j |b_jc| / m_j: k · 2⁻³⁷ of it for k below 2²².
///
/// @shape  a [m, k] · b [k, n] → [m, n], of a's type; not a number where a row of a or a column of b is not finite
[[nodiscard]] inline at::Tensor multiply_rows(at::Tensor const& a, at::Tensor const& b) {
  constexpr std::int64_t most_rows = 1 << 11; // rows at a time, for the memory of slices
  auto const bits = slice_bits(a.size(1));
  auto const piece = most_terms(bits);
  auto const measures = largest_along(b, 1);
  auto const units = scales_of(measures, 1).masked_fill_(measures.eq(0), 0x1p1000); // columns times 0 become small
  auto const columns = b.to(at::kDouble) * units;
  auto const largest_of_b = largest_along(columns, 0);
  auto const scales_of_b = scales_of(largest_of_b, bits);
  auto const sliced_b = slice(columns, scales_of_b, bits);
  auto const result = at::empty({a.size(0), b.size(1)}, a.options());
  for (std::int64_t first = 0; first < a.size(0); first += most_rows) {
    auto const rows = a.narrow(0, first, std::min(most_rows, a.size(0) - first)).to(at::kDouble) / units.t();
    auto const largest = largest_along(rows, 1);
    auto const scales = scales_of(largest, bits);
    auto const sliced = slice(rows, scales, bits);
    auto sums = exact_sums::zeros(rows.size(0), b.size(1));
    for (std::int64_t term = 0; term < a.size(1); term += piece) {
      auto const terms = std::min(piece, a.size(1) - term);
      add_products(sums, {sliced.high.narrow(1, term, terms), sliced.low.narrow(1, term, terms)},
                   {sliced_b.high.narrow(0, term, terms), sliced_b.low.narrow(0, term, terms)});
    }
    auto const unusable = largest.isfinite().logical_not().logical_or(largest_of_b.isfinite().logical_not());
    result.narrow(0, first, rows.size(0))
        .copy_(
            value_of(sums, scales, scales_of_b, bits).masked_fill_(unusable, std::numeric_limits<double>::quiet_NaN()));
  }
  return result;
}

} // namespace glt::detail
