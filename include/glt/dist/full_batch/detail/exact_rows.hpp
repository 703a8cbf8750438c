// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/config.hpp>
#include <glt/core/error.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/memory/policy.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace glt::detail {

/// Fixed-point numbers whose sums do not depend on the order of their terms: multiples of a power of two, so small that
/// no sum of a pass reaches 2⁶³ of them.
struct fixed_point {
  double scale = 1;   // a power of two
  double inverse = 1; // 1 / scale

  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t of(T value) const {
    double const scaled = static_cast<double>(value) * scale;
    return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5); // |scaled| < 2⁶²
  }
  [[nodiscard]] GLT_HOST_DEVICE double value(std::int64_t number) const {
    return static_cast<double>(number) * inverse;
  }

  /// For sums of up to `terms` values of up to `largest`.
  [[nodiscard]] static fixed_point for_sums(double largest, double terms) {
    if (!(largest > 0)) {
      return {};
    }
    int const bits = std::ilogb(largest) + std::ilogb(terms < 1 ? 1 : terms) + 2;
    int const exponent = 61 - bits < 1000 ? 61 - bits : 1000; // of values so small that doubles end before
    return {std::ldexp(1.0, exponent), std::ldexp(1.0, -exponent)};
  }
};

template <class T>
struct magnitude_of {
  T const* values;
  GLT_HOST_DEVICE double operator()(std::int64_t i) const {
    double const value = values[i] < 0 ? -static_cast<double>(values[i]) : static_cast<double>(values[i]);
    return value <= 1.7e308 ? value : 1.79e308; // what is no finite number, too
  }
};

struct larger_magnitude {
  GLT_HOST_DEVICE double operator()(double a, double b) const { return a < b ? b : a; }
};

/// sums[row] += Σ over the edges of the row of factor · x[column], in fixed point.
template <memory_space Space, class T, class Edges>
struct add_exact_rows {
  dist::shard_view<Space> shard;
  T const* x;
  std::int64_t* sums;
  column_pieces pieces;
  std::int64_t head_columns;
  Edges edges;
  fixed_point numbers;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const begin = pieces.first_column(i);
    std::int64_t* const to = sums + std::int64_t{shard.rows[row]} * pieces.columns;
    for (auto e = shard.offsets[row]; e < shard.offsets[row + 1]; ++e) {
      T const* const from = x + std::int64_t{shard.columns[e]} * pieces.columns;
      for (auto c = begin; c < begin + pieces.width; ++c) {
        to[c] += numbers.of(edges.template factor<T>(shard.edges[e], shard.columns[e], c / head_columns) * from[c]);
      }
    }
  }
};

template <class T>
struct write_exact_values {
  std::int64_t const* sums;
  T* values;
  fixed_point numbers;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { values[i] = static_cast<T>(numbers.value(sums[i])); }
};

/// The fixed-point numbers in which all ranks add up products of values and weights.
///
/// @param terms  the most terms that a sum has on any rank
/// @comm   collective; one reduction of two numbers
/// @throws collective_error  on every rank, if a value of a rank is infinite or not a number
template <communicator Comm>
[[nodiscard]] fixed_point agree_on_fixed_point(Comm& comm, double largest, double largest_weight, double terms) {
  std::array<double, 2> most{largest, largest_weight};
  comm.all_reduce(std::span<double>(most), reduction::max);
  if (!(most[0] < 1e150 && most[1] < 1e150)) {
    throw agreed_error(comm.size(), 0,
                       "a rank adds values or weights that are infinite, not a number, or 1e150 and more; reproducible sums "
                       "are of smaller ones");
  }
  return fixed_point::for_sums(most[0] * most[1], terms);
}

} // namespace glt::detail
