// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/detail/column_sums.hpp>
#include <glt/dist/full_batch/detail/gather_batch_values.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Number, mean and variance of the rows of all ranks, column by column; the same bits on every rank.
struct batch_statistics {
  std::int64_t rows = 0;
  std::vector<double> mean;       ///< [F]
  std::vector<double> deviations; ///< [F], sums of the squared deviations from the mean

  /// Returns the divisor of a column's deviations: the root of its biased variance plus eps.
  [[nodiscard]] double spread(std::size_t column, double eps) const {
    return std::sqrt(deviations[column] / static_cast<double>(rows) + eps);
  }
};

template <memory_space Space, class T>
struct element_term {
  matrix_view<Space, T const> x;
  GLT_HOST_DEVICE double operator()(std::int64_t row, std::int64_t column) const {
    return static_cast<double>(x(row, column));
  }
};

template <memory_space Space, class T>
struct deviation_terms {
  matrix_view<Space, T const> x;
  array_view<Space, double const> mean;
  GLT_HOST_DEVICE sum_pair operator()(std::int64_t row, std::int64_t column) const {
    auto const deviation = static_cast<double>(x(row, column)) - mean[column];
    return {deviation, deviation * deviation};
  }
};

/// Computes the statistics of the rows of one rank in two passes, with a correction of the mean's rounding.
///
/// @source Chan, Golub, LeVeque, "Algorithms for computing the sample variance", The American Statistician 37(3), 1983
template <device_policy Policy, class T>
[[nodiscard]] batch_statistics own_statistics(Policy const& policy, matrix_view<Policy::space, T const> x) {
  batch_statistics own{.rows = x.rows(), .mean = {}, .deviations = {}};
  auto const rows = static_cast<double>(x.rows());
  own.mean = column_sums<double>(policy, x.rows(), x.columns(), element_term<Policy::space, T>{x});
  own.deviations.resize(own.mean.size());
  if (x.rows() == 0) {
    return own;
  }
  for (auto& mean : own.mean) {
    mean /= rows;
  }
  auto const mean = make_buffer(own.mean, policy);
  auto const sums =
      column_sums<sum_pair>(policy, x.rows(), x.columns(), deviation_terms<Policy::space, T>{x, mean.view()});
  for (std::size_t column = 0; column < sums.size(); ++column) {
    auto const shift = sums[column].first / rows;
    own.mean[column] += shift;
    own.deviations[column] = std::max(sums[column].second - sums[column].first * shift, 0.0);
  }
  return own;
}

/// Merges the statistics of other rows into `into`.
///
/// @source Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", Stanford
///         STAN-CS-79-773, 1979
inline void merge_statistics(batch_statistics const& other, batch_statistics& into) {
  if (other.rows == 0) {
    return;
  }
  auto const before = static_cast<double>(into.rows);
  into.rows += other.rows;
  auto const share = static_cast<double>(other.rows) / static_cast<double>(into.rows);
  for (std::size_t column = 0; column < into.mean.size(); ++column) {
    auto const difference = other.mean[column] - into.mean[column];
    into.mean[column] += difference * share;
    into.deviations[column] += other.deviations[column] + difference * difference * share * before;
  }
}

/// Computes mean and variance of the columns of a matrix whose rows are spread over the ranks.
///
/// Sums are computed in double precision, rank by rank, and merged in the order of the ranks.
///
/// @shape  x [local rows, F], of any number of rows
/// @where  memory of `Policy`; waits for the sums
/// @comm   collective; one header exchange and one payload exchange of 8 · (2 · F + 1) bytes to every rank; none on one
///         rank
/// @throws collective_error  on every rank, if a rank has another number of columns than rank 0, if all ranks together
///                           have fewer than two rows, or if a rank has no memory for its sums
/// @cost   O(rows · F) in two passes, and O(R · F)
template <device_policy Policy = device::cpu, communicator Comm, std::floating_point Element>
[[nodiscard]] batch_statistics gather_batch_statistics(Comm comm, matrix_view<Policy::space, Element> x,
                                                       Policy policy = {}) {
  std::vector<double> values;
  auto const failure = failure_of([&] {
    auto const own = own_statistics<Policy, std::remove_const_t<Element>>(policy, x);
    values = own.mean;
    values.insert(values.end(), own.deviations.begin(), own.deviations.end());
    values.push_back(static_cast<double>(own.rows)); // exact below 2^53
  });
  auto& host = host_comm(comm);
  auto const lists = gather_batch_values(host, batch_norm_forward, failure, values);
  auto const columns = static_cast<std::size_t>(x.columns());
  batch_statistics joined{
      .rows = 0, .mean = std::vector<double>(columns, 0), .deviations = std::vector<double>(columns, 0)};
  for (auto const& list : lists) {
    auto const middle = list.begin() + x.columns();
    merge_statistics({.rows = static_cast<std::int64_t>(list.back()),
                      .mean = {list.begin(), middle},
                      .deviations = {middle, middle + x.columns()}},
                     joined);
  }
  check_batch_rows(host, joined.rows);
  return joined;
}

} // namespace glt::detail
