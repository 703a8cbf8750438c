// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/detail/batch_norm.hpp>
#include <glt/dist/full_batch/detail/column_sums.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/memory/memory.hpp>

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

using exact_pair = pair_of_sums<std::int64_t>;

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

/// Agrees on a batch norm of `rows` rows and `columns` columns on this rank; returns the number of rows of all ranks.
///
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if `failure` is not empty on one, a rank has another number of columns than
///                           rank 0, or there are fewer than two rows
template <communicator Comm>
[[nodiscard]] std::int64_t agree_on_batch(Comm& comm, call_site site, std::string const& failure, std::int64_t rows,
                                          std::int64_t columns) {
  std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), columns);
  std::vector<call_header> headers;
  exchange_headers(comm, site, counts, rows, failure, headers);
  check_same(comm, headers, &call_header::count, other_columns);
  auto const total = total_value(headers);
  check_batch_rows(comm, total);
  return total;
}

/// `gather_batch_statistics` with the same bits for any number of ranks, partition and number of threads: rows and squares
/// of their deviations are rounded to 2⁻⁵⁰ of the largest in their column, or to rows · 2⁻⁶⁰ of it if there are more than
/// 2¹⁰ rows, and added in fixed point.
///
/// @shape  x [local rows, F], of any number of rows
/// @where  memory of `Policy`; waits for the sums
/// @comm   collective; one header exchange and reductions of 2F doubles, F and F 64-bit integers
/// @throws collective_error  on every rank, as `gather_batch_statistics`, or if an element is not finite or 1e150 and
///                           more
/// @cost   O(rows · F) in three passes
template <device_policy Policy = device::cpu, communicator Comm, std::floating_point Element>
[[nodiscard]] batch_statistics gather_reproducible_statistics(Comm comm, matrix_view<Policy::space, Element> x,
                                                              Policy policy = {}) {
  using value = std::remove_const_t<Element>;
  constexpr auto space = Policy::space;
  auto& host = host_comm(comm);
  std::vector<largest_pair> ranges; // the highest, and the negated lowest
  auto const failure = failure_of([&] {
    ranges = column_sums<largest_pair>(policy, x.rows(), x.columns(), range_terms<space, value>{x});
    for (auto const [high, low] : ranges) {
      check_summable(std::array{high, low});
    }
  });
  auto const rows = agree_on_batch(host, batch_norm_forward, failure, x.rows(), x.columns());
  return committed(host, [&] {
    batch_statistics joined{.rows = rows, .mean = {}, .deviations = {}};
    auto const terms = static_cast<double>(rows);
    std::vector<exact_column> columns;
    reduce_pairs(host, ranges, reduction::max);
    for (auto const [high, low] : ranges) {
      columns.push_back({.mean = 0, .numbers = fixed_point::for_sums(std::max(high, low), terms)});
    }
    auto const add = [&]<int Power>(std::integral_constant<int, Power>) {
      auto const on_device = make_buffer(columns, policy);
      auto sums = column_sums<std::int64_t>(policy, x.rows(), x.columns(),
                                            exact_power_terms<space, value, Power>{x, on_device.view()});
      host.all_reduce(std::span<std::int64_t>(sums), reduction::sum);
      return sums;
    };
    auto const sums = add(std::integral_constant<int, 1>());
    for (std::size_t column = 0; column < columns.size(); ++column) {
      auto const mean = columns[column].numbers.value(sums[column]) / terms;
      auto const furthest = std::max(ranges[column].first - mean, mean + ranges[column].second);
      joined.mean.push_back(mean);
      columns[column] = {.mean = mean, .numbers = fixed_point::for_sums(furthest * furthest, terms)};
    }
    auto const squares = add(std::integral_constant<int, 2>());
    for (std::size_t column = 0; column < columns.size(); ++column) {
      joined.deviations.push_back(columns[column].numbers.value(squares[column]));
    }
    return joined;
  });
}

/// Computes `gather_batch_gradients` with the same bits for any number of ranks, partition and number of threads.
///
/// The local sums are the sums of all ranks on rank 0, and 0 on other ranks. Their sum over ranks is the gradient.
///
/// @shape  gradient [local rows, F], of the output · x [local rows, F] · statistics of x
/// @where  memory of `Policy`; waits for the sums
/// @comm   collective; one header exchange and reductions of 2F doubles and 2F 64-bit integers
/// @throws collective_error  on every rank, as `gather_batch_gradients`, or if a gradient or its product with a
///                           normalized element is not finite or 1e150 and more
/// @cost   O(rows · F) in two passes
template <device_policy Policy = device::cpu, communicator Comm, std::floating_point Gradient,
          std::floating_point Element>
  requires std::same_as<std::remove_const_t<Gradient>, std::remove_const_t<Element>>
[[nodiscard]] batch_gradients gather_reproducible_gradients(Comm comm, matrix_view<Policy::space, Gradient> gradient,
                                                            matrix_view<Policy::space, Element> x,
                                                            batch_statistics const& statistics, double eps,
                                                            Policy policy = {}) {
  using terms = gradient_terms<Policy::space, std::remove_const_t<Element>>;
  auto& host = host_comm(comm);
  buffer<Policy, normal_column> normal(0, policy);
  std::vector<largest_pair> largest;
  auto const failure = failure_of([&] {
    check_batch_matrix("a gradient", gradient.rows(), gradient.columns(), x.rows(), x.columns());
    check_batch_statistics(statistics, x.columns());
    normal = make_buffer(normal_columns(statistics, eps), policy);
    largest =
        column_sums<largest_pair>(policy, x.rows(), x.columns(), magnitude_terms<terms>{{gradient, x, normal.view()}});
    for (auto const [plain, normalized] : largest) {
      check_summable(std::array{plain, normalized});
    }
  });
  auto const rows = agree_on_batch(host, batch_norm_backward, failure, x.rows(), x.columns());
  return committed(host, [&] {
    reduce_pairs(host, largest, reduction::max);
    std::vector<fixed_point_pair> numbers;
    auto const count = static_cast<double>(rows);
    for (auto const [plain, normalized] : largest) {
      numbers.push_back({fixed_point::for_sums(plain, count), fixed_point::for_sums(normalized, count)});
    }
    auto const on_device = make_buffer(numbers, policy);
    auto sums =
        column_sums<exact_pair>(policy, x.rows(), x.columns(),
                                exact_pair_terms<Policy::space, terms>{{gradient, x, normal.view()}, on_device.view()});
    reduce_pairs(host, sums, reduction::sum);
    batch_gradients made;
    for (std::size_t column = 0; column < sums.size(); ++column) {
      made.joined.plain.push_back(numbers[column].first.value(sums[column].first));
      made.joined.normalized.push_back(numbers[column].second.value(sums[column].second));
    }
    made.own = made.joined;
    if (host.rank() != 0) {
      std::ranges::fill(made.own.plain, 0.0);
      std::ranges::fill(made.own.normalized, 0.0);
    }
    return made;
  });
}

} // namespace glt::detail
