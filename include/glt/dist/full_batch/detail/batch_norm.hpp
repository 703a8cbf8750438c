// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/detail/column_sums.hpp>
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

/// Parameters of a batch norm: y = (x − mean) / sqrt(variance + eps) · weight + bias.
template <memory_space Space, std::floating_point T>
struct batch_norm_parameters {
  double eps = 1e-5;
  array_view<Space, T const> weight; ///< [F], or empty for 1
  array_view<Space, T const> bias;   ///< [F], or empty for 0
};

/// Column sums of the gradient of the output, plain and times the normalized rows.
struct batch_gradient_sums {
  std::vector<double> plain;      ///< [F], the gradient of the bias
  std::vector<double> normalized; ///< [F], the gradient of the weight
};

/// Sums over the rows of this rank and over the rows of all ranks.
struct batch_gradients {
  batch_gradient_sums own;
  batch_gradient_sums joined; ///< the same bits on every rank
};

struct normal_column {
  double mean;
  double scale;
  [[nodiscard]] GLT_HOST_DEVICE double normalized(double x) const { return (x - mean) * scale; }
};

template <memory_space Space, class T>
struct gradient_terms {
  matrix_view<Space, T const> gradient;
  matrix_view<Space, T const> x;
  array_view<Space, normal_column const> columns;
  GLT_HOST_DEVICE sum_pair operator()(std::int64_t row, std::int64_t column) const {
    auto const of_y = static_cast<double>(gradient(row, column));
    return {of_y, of_y * columns[column].normalized(static_cast<double>(x(row, column)))};
  }
};

template <memory_space Space, class T>
struct normalize_elements {
  matrix_view<Space, T const> x;
  array_view<Space, normal_column const> columns;
  batch_norm_parameters<Space, T> parameters;
  matrix_view<Space, T> y;
  template <class Width>
  GLT_HOST_DEVICE void operator()(std::int64_t row, std::int64_t first, Width) const {
    for (auto column = first; column < first + Width::value; ++column) {
      auto const weight = parameters.weight.empty() ? 1.0 : static_cast<double>(parameters.weight[column]);
      auto const bias = parameters.bias.empty() ? 0.0 : static_cast<double>(parameters.bias[column]);
      auto const element = columns[column].normalized(static_cast<double>(x(row, column)));
      y(row, column) = static_cast<T>(element * weight + bias);
    }
  }
};

// The gradient of an element is scale · weight · (gradient of y − plain − normalized element · normalized).
struct gradient_column {
  normal_column normal;
  double plain;
  double normalized;
};

template <memory_space Space, class T>
struct write_gradients {
  matrix_view<Space, T const> gradient;
  matrix_view<Space, T const> x;
  array_view<Space, gradient_column const> columns;
  array_view<Space, T const> weights;
  matrix_view<Space, T> into;
  template <class Width>
  GLT_HOST_DEVICE void operator()(std::int64_t row, std::int64_t first, Width) const {
    for (auto column = first; column < first + Width::value; ++column) {
      auto const [normal, plain, normalized] = columns[column];
      auto const weight = weights.empty() ? 1.0 : static_cast<double>(weights[column]);
      auto const element = normal.normalized(static_cast<double>(x(row, column)));
      auto const centered = static_cast<double>(gradient(row, column)) - plain - element * normalized;
      into(row, column) = static_cast<T>(normal.scale * weight * centered);
    }
  }
};

inline void check_batch_matrix(std::string_view name, std::int64_t rows, std::int64_t columns, std::int64_t of_x_rows,
                               std::int64_t of_x_columns) {
  if (rows != of_x_rows || columns != of_x_columns) {
    throw precondition_error(message("batch norm of rows [", of_x_rows, ", ", of_x_columns, "] with ", name, " of [",
                                     rows, ", ", columns, "]; give both the same shape"));
  }
}

inline void check_batch_columns(std::string_view name, std::int64_t size, std::int64_t columns) {
  if (size != columns) {
    throw precondition_error(
        message("batch norm of ", columns, " columns with ", name, " of ", size, "; give one per column"));
  }
}

inline void check_batch_statistics(batch_statistics const& statistics, std::int64_t columns) {
  check_batch_columns("means", std::ssize(statistics.mean), columns);
  check_batch_columns("deviations", std::ssize(statistics.deviations), columns);
}

template <memory_space Space, class T>
void check_batch_parameters(batch_norm_parameters<Space, T> const& parameters, std::int64_t columns) {
  if (!parameters.weight.empty()) {
    check_batch_columns("weights", parameters.weight.size(), columns);
  }
  if (!parameters.bias.empty()) {
    check_batch_columns("biases", parameters.bias.size(), columns);
  }
}

[[nodiscard]] inline std::vector<normal_column> normal_columns(batch_statistics const& statistics, double eps) {
  std::vector<normal_column> columns;
  for (std::size_t column = 0; column < statistics.mean.size(); ++column) {
    columns.push_back({statistics.mean[column], 1 / statistics.spread(column, eps)});
  }
  return columns;
}

/// Writes the normalized rows of this rank.
///
/// @shape  x [local rows, F] · y [local rows, F], written; may be x
/// @where  memory of `Policy`; only enqueues
/// @throws precondition_error  if y does not have the shape of x, or statistics or parameters are not one per column
/// @cost   O(rows · F)
template <device_policy Policy = device::cpu, std::floating_point Element, std::floating_point T>
  requires std::same_as<std::remove_const_t<Element>, T>
void normalize_batch(matrix_view<Policy::space, Element> x, batch_statistics const& statistics,
                     std::type_identity_t<batch_norm_parameters<Policy::space, T>> const& parameters,
                     matrix_view<Policy::space, T> y, Policy policy = {}) {
  constexpr auto space = Policy::space;
  check_batch_matrix("a result", y.rows(), y.columns(), x.rows(), x.columns());
  check_batch_statistics(statistics, x.columns());
  check_batch_parameters(parameters, x.columns());
  auto const columns = make_buffer(normal_columns(statistics, parameters.eps), policy);
  for_each_panel(policy.executor(), x.rows(), x.columns(),
                 normalize_elements<space, T>{x, columns.view(), parameters, y});
}

/// Computes the sums over the rows of all ranks that the gradient of a batch norm needs.
///
/// The local sums are this rank's shares of the gradients of bias and weight.
///
/// @shape  gradient [local rows, F], of the output · x [local rows, F] · statistics of x
/// @where  memory of `Policy`; waits for the sums
/// @comm   collective; one header exchange and one payload exchange of 16 · F bytes to every rank; none on one rank
/// @throws collective_error  on every rank, if on one gradient does not have the shape of x or statistics are not one
///                           per column, if a rank has another number of columns than rank 0, or no memory for its sums
/// @cost   O(rows · F), and O(R · F)
template <device_policy Policy = device::cpu, communicator Comm, std::floating_point Gradient,
          std::floating_point Element>
  requires std::same_as<std::remove_const_t<Gradient>, std::remove_const_t<Element>>
[[nodiscard]] batch_gradients
gather_batch_gradients(Comm comm, matrix_view<Policy::space, Gradient> gradient, matrix_view<Policy::space, Element> x,
                       batch_statistics const& statistics, double eps, Policy policy = {}) {
  using terms = gradient_terms<Policy::space, std::remove_const_t<Element>>;
  batch_gradients sums;
  std::vector<double> values;
  auto const failure = failure_of([&] {
    check_batch_matrix("a gradient", gradient.rows(), gradient.columns(), x.rows(), x.columns());
    check_batch_statistics(statistics, x.columns());
    auto const columns = make_buffer(normal_columns(statistics, eps), policy);
    for (auto const [plain, normalized] :
         column_sums<sum_pair>(policy, x.rows(), x.columns(), terms{gradient, x, columns.view()})) {
      sums.own.plain.push_back(plain);
      sums.own.normalized.push_back(normalized);
    }
    values = sums.own.plain;
    values.insert(values.end(), sums.own.normalized.begin(), sums.own.normalized.end());
  });
  auto const lists = gather_batch_values(host_comm(comm), batch_norm_backward, failure, values);
  auto const columns = static_cast<std::size_t>(x.columns());
  sums.joined = {.plain = std::vector<double>(columns, 0), .normalized = std::vector<double>(columns, 0)};
  for (auto const& list : lists) {
    for (std::size_t column = 0; column < columns; ++column) {
      sums.joined.plain[column] += list[column];
      sums.joined.normalized[column] += list[columns + column];
    }
  }
  return sums;
}

/// Writes the gradient of a batch norm with respect to the rows of this rank.
///
/// @shape  gradient [local rows, F], of the output · x [local rows, F] · joined: sums over all ranks · into [local
///         rows, F], written; may be gradient
/// @where  memory of `Policy`; only enqueues
/// @throws precondition_error  if gradient or into does not have the shape of x, or statistics, sums or parameters are
///                             not one per column
/// @cost   O(rows · F)
/// @source Ioffe, Szegedy, "Batch normalization", ICML 2015, section 3
template <device_policy Policy = device::cpu, std::floating_point Gradient, std::floating_point Element,
          std::floating_point T>
  requires std::same_as<std::remove_const_t<Gradient>, T> && std::same_as<std::remove_const_t<Element>, T>
void write_batch_gradient(matrix_view<Policy::space, Gradient> gradient, matrix_view<Policy::space, Element> x,
                          batch_statistics const& statistics, batch_gradient_sums const& joined,
                          std::type_identity_t<batch_norm_parameters<Policy::space, T>> const& parameters,
                          matrix_view<Policy::space, T> into, Policy policy = {}) {
  constexpr auto space = Policy::space;
  check_batch_matrix("a gradient", gradient.rows(), gradient.columns(), x.rows(), x.columns());
  check_batch_matrix("a result", into.rows(), into.columns(), x.rows(), x.columns());
  check_batch_statistics(statistics, x.columns());
  check_batch_parameters(parameters, x.columns());
  check_batch_columns("sums", std::ssize(joined.plain), x.columns());
  check_batch_columns("sums", std::ssize(joined.normalized), x.columns());
  auto const rows = static_cast<double>(statistics.rows);
  std::vector<gradient_column> of_columns;
  for (auto const& normal : normal_columns(statistics, parameters.eps)) {
    auto const column = of_columns.size();
    of_columns.push_back({normal, joined.plain[column] / rows, joined.normalized[column] / rows});
  }
  auto const columns = make_buffer(of_columns, policy);
  for_each_panel(policy.executor(), x.rows(), x.columns(),
                 write_gradients<space, T>{gradient, x, columns.view(), parameters.weight, into});
}

} // namespace glt::detail
