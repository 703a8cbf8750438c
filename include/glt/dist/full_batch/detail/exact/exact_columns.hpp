// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/core.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>

#include <span>
#include <vector>

namespace glt::detail {

/// Pair of maxima, used as a `sum_pair` is used for sums.
struct largest_pair {
  double first = -1.79e308;
  double second = -1.79e308;
  GLT_HOST_DEVICE largest_pair& operator+=(largest_pair const& other) {
    first = first < other.first ? other.first : first;
    second = second < other.second ? other.second : second;
    return *this;
  }
};

struct exact_pair {
  std::int64_t first = 0;
  std::int64_t second = 0;
  GLT_HOST_DEVICE exact_pair& operator+=(exact_pair const& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

/// Mean of a column, and fixed-point numbers that add powers of its deviations exactly.
struct exact_column {
  double mean;
  fixed_point numbers;
};

template <memory_space Space, class T>
struct range_terms {
  matrix_view<Space, T const> x;
  GLT_HOST_DEVICE largest_pair operator()(std::int64_t row, std::int64_t column) const {
    auto const value = static_cast<double>(x(row, column));
    return {finite_or_largest(value), finite_or_largest(-value)};
  }
};

template <memory_space Space, class T, int Power>
struct exact_power_terms {
  matrix_view<Space, T const> x;
  array_view<Space, exact_column const> columns;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t row, std::int64_t column) const {
    auto const [mean, numbers] = columns[column];
    auto const deviation = static_cast<double>(x(row, column)) - mean;
    return numbers.of(Power == 1 ? deviation : deviation * deviation);
  }
};

template <class Terms>
struct magnitude_terms {
  Terms terms;
  GLT_HOST_DEVICE largest_pair operator()(std::int64_t row, std::int64_t column) const {
    auto const [first, second] = terms(row, column);
    return {finite_or_largest(first < 0 ? -first : first), finite_or_largest(second < 0 ? -second : second)};
  }
};

struct fixed_point_pair {
  fixed_point first;
  fixed_point second;
};

template <memory_space Space, class Terms>
struct exact_pair_terms {
  Terms terms;
  array_view<Space, fixed_point_pair const> columns;
  GLT_HOST_DEVICE exact_pair operator()(std::int64_t row, std::int64_t column) const {
    auto const [first, second] = terms(row, column);
    return {columns[column].first.of(first), columns[column].second.of(second)};
  }
};

/// Reduces pairs over all ranks, element by element.
template <communicator Comm, class Pair>
void reduce_pairs(Comm& comm, std::vector<Pair>& pairs, reduction op) {
  using number = decltype(Pair::first);
  static_assert(sizeof(Pair) == 2 * sizeof(number));
  comm.all_reduce(std::span<number>(reinterpret_cast<number*>(pairs.data()), 2 * pairs.size()), op);
}

} // namespace glt::detail
