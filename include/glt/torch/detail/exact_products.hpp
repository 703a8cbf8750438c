// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <torch/types.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace glt::detail {

/// Rows in two slices of integers: a row is (high + low · 2^−bits) / scale, but for what is below 2^(−2 · bits − 1) of its
/// largest element.
///
/// @shape  high, low [n, k] and scale [n, 1], of doubles
struct sliced_rows_of {
  at::Tensor high;
  at::Tensor low;
  at::Tensor scale;
};

/// Sums of products of slices, in integers; they do not depend on the order of the terms.
///
/// @shape  [m, n], of 64-bit integers
struct exact_sums {
  at::Tensor high; // of high · high
  at::Tensor low;  // of high · low + low · high
};

/// Bits of a slice of which `terms` products can be added up.
[[nodiscard]] inline int slice_bits(std::int64_t terms) {
  int const bits_of_sum =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(terms, 1))));
  return std::min(20, (62 - bits_of_sum) / 2);
}

/// The largest magnitude of every row; not a number where one is not.
///
/// @shape  rows [n, k] → [n, 1], of doubles
[[nodiscard]] inline at::Tensor largest_of_rows(at::Tensor const& rows) {
  if (rows.size(1) == 0) {
    return at::zeros({rows.size(0), 1}, at::kDouble);
  }
  return rows.abs().amax(1, /*keepdim=*/true).to(at::kDouble);
}

/// @shape  rows [n, k] · largest [n, 1], no less than any magnitude of the row; infinite ones are taken for 1
[[nodiscard]] inline sliced_rows_of slice_rows(at::Tensor const& rows, at::Tensor const& largest, int bits) {
  auto const scale = largest.contiguous().clone();
  auto* const scales = scale.data_ptr<double>();
  for (std::int64_t i = 0; i < scale.numel(); ++i) {
    bool const usable = scales[i] > 0 && scales[i] <= std::numeric_limits<double>::max();
    scales[i] = std::ldexp(1.0, std::min(bits - (usable ? std::ilogb(scales[i]) + 1 : 0), 1000));
  }
  auto const scaled = rows.to(at::kDouble) * scale;
  auto const high = scaled.round();
  return {high, ((scaled - high) * std::ldexp(1.0, bits)).round(), scale};
}

/// a bᵀ, exactly in their slices: in pieces so short that doubles hold their sums.
///
/// @shape  a of [m, k] · b of [n, k] → [m, n]
/// @cost   three products of matrices of doubles
/// @source Ozaki et al., "Error-free transformations of matrix multiplication by using fast routines of matrix
///         multiplication and its applications", Numerical Algorithms 59, 2012
[[nodiscard]] inline exact_sums multiply(sliced_rows_of const& a, sliced_rows_of const& b, int bits) {
  auto const columns = a.high.size(1);
  auto const piece = std::int64_t{1} << (53 - 2 * bits - 1);
  auto const integers = at::TensorOptions().dtype(at::kLong);
  exact_sums sums{at::zeros({a.high.size(0), b.high.size(0)}, integers),
                  at::zeros({a.high.size(0), b.high.size(0)}, integers)};
  for (std::int64_t first = 0; first < columns; first += piece) {
    auto const of = [&](at::Tensor const& all) {
      return all.narrow(1, first, std::min(piece, columns - first));
    };
    sums.high += of(a.high).mm(of(b.high).t()).to(at::kLong);
    sums.low += (of(a.high).mm(of(b.low).t()) + of(a.low).mm(of(b.high).t())).to(at::kLong);
  }
  return sums;
}

/// @shape  a_scale [m, 1] · b_scale [n, 1] → [m, n], of doubles
[[nodiscard]] inline at::Tensor value_of(exact_sums const& sums, at::Tensor const& a_scale,
                                         at::Tensor const& b_scale, int bits) {
  auto const sum = sums.high.to(at::kDouble) + sums.low.to(at::kDouble) * std::ldexp(1.0, -bits);
  return sum / a_scale / b_scale.t();
}

/// a bᵀ, each row of which has the same bits whatever the other rows are.
///
/// @shape  a [m, k] · b [n, k] → [m, n], of a's type; not a number where a row of a or b is not finite
[[nodiscard]] inline at::Tensor multiply_rows(at::Tensor const& a, at::Tensor const& b) {
  constexpr std::int64_t most_rows = 1 << 13; // at a time, for the memory of slices
  auto const bits = slice_bits(a.size(1));
  auto const largest_b = largest_of_rows(b);
  auto const sliced_b = slice_rows(b, largest_b, bits);
  auto const result = at::empty({a.size(0), b.size(0)}, a.options());
  for (std::int64_t first = 0; first < a.size(0); first += most_rows) {
    auto const rows = a.narrow(0, first, std::min(most_rows, a.size(0) - first));
    auto const largest = largest_of_rows(rows);
    auto const sliced = slice_rows(rows, largest, bits);
    auto const unusable = largest.isfinite().logical_not().logical_or(largest_b.t().isfinite().logical_not());
    result.narrow(0, first, rows.size(0))
        .copy_(value_of(multiply(sliced, sliced_b, bits), sliced.scale, sliced_b.scale, bits)
                   .masked_fill(unusable, std::numeric_limits<double>::quiet_NaN()));
  }
  return result;
}

} // namespace glt::detail
