// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/embedding/detail/key_groups.hpp>
#include <glt/dist/embedding/embedding_options.hpp>
#include <glt/memory/memory.hpp>

#include <variant>

namespace glt::detail {

/// Sums of the rows of each group of places, every row times the weight of its place.
template <host_policy Policy, class T>
struct weighted_row_sums {
  key_groups<Policy> const* groups;
  double const* weights; ///< by place; null for 1
  T const* rows;
  std::int64_t columns;

  [[nodiscard]] double operator()(std::int64_t group, std::int64_t column) const {
    double sum = 0; // a hub may have thousands of terms
    for (auto const place : groups->places(group)) {
      sum += (weights == nullptr ? 1 : weights[place]) * static_cast<double>(rows[place * columns + column]);
    }
    return sum;
  }
};

/// Update of an element x; `first` and `second` are its moments, if the optimiser has them.
struct sgd_step {
  double rate;
  template <class T>
  void operator()(double gradient, T& x, T*, T*) const {
    x = static_cast<T>(x - rate * gradient);
  }
};

struct adagrad_step {
  double rate;
  double epsilon;
  template <class T>
  void operator()(double gradient, T& x, T*, T* second) const {
    *second = static_cast<T>(*second + gradient * gradient);
    x = static_cast<T>(x - rate * gradient / (std::sqrt(static_cast<double>(*second)) + epsilon));
  }
};

struct adam_step {
  double rate; ///< corrected for the number of updates
  sparse_adam how;
  template <class T>
  void operator()(double gradient, T& x, T* first, T* second) const {
    *first = static_cast<T>(*first + (1 - how.beta1) * (gradient - *first));
    *second = static_cast<T>(*second + (1 - how.beta2) * (gradient * gradient - *second));
    x = static_cast<T>(x - rate * *first / (std::sqrt(static_cast<double>(*second)) + how.epsilon));
  }
};

/// Returns the step of update number `count`, from 1.
[[nodiscard]] inline sgd_step step_of(sparse_sgd const& how, std::int64_t) {
  return {how.learning_rate};
}
[[nodiscard]] inline adagrad_step step_of(sparse_adagrad const& how, std::int64_t) {
  return {how.learning_rate, how.epsilon};
}
[[nodiscard]] inline adam_step step_of(sparse_adam const& how, std::int64_t count) {
  auto const t = static_cast<double>(count);
  return {how.learning_rate * std::sqrt(1 - std::pow(how.beta2, t)) / (1 - std::pow(how.beta1, t)), how};
}

[[nodiscard]] inline bool has_first_moments(sparse_optimizer const& how) {
  return std::holds_alternative<sparse_adam>(how);
}
[[nodiscard]] inline bool has_second_moments(sparse_optimizer const& how) {
  return !std::holds_alternative<sparse_sgd>(how);
}

/// Rows of a part and their moments.
///
/// @shape  all [rows of the part · columns]; moments that the optimiser does not have are empty
template <memory_space Space, class T>
struct embedding_arrays {
  array_view<Space, T> rows;
  array_view<Space, T> first;
  array_view<Space, T> second;
};

/// Update of the row that is the key of a group, by the sum of the group.
template <host_policy Policy, class T, class Step>
struct update_row {
  weighted_row_sums<Policy, T> gradients;
  embedding_arrays<Policy::space, T> arrays;
  Step step;

  void operator()(std::int64_t group) const {
    auto const columns = gradients.columns;
    auto const begin = gradients.groups->keys()[group] * columns;
    for (std::int64_t f = 0; f < columns; ++f) {
      auto const i = begin + f;
      step(gradients(group, f), arrays.rows[i], arrays.first.empty() ? nullptr : &arrays.first[i],
           arrays.second.empty() ? nullptr : &arrays.second[i]);
    }
  }
};

} // namespace glt::detail
