// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/dist/embedding/embedding_options.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>

#include <variant>

namespace glt::detail {

/// Distinct keys of a list, ascending, each with its places in the order of the list.
///
/// Reusable; the memory is kept.
template <host_policy Policy>
class key_groups {
  static constexpr memory_space space = Policy::space;

public:
  explicit key_groups(Policy policy)
      : policy_(policy), sorted_(make_message_buffer<global_id>(policy)),
        places_(make_message_buffer<std::int64_t>(policy)), distinct_(make_message_buffer<global_id>(policy)),
        begins_(make_message_buffer<std::int64_t>(policy)) {}

  /// @cost   one sort
  template <class Key>
  void group(array_view<space, Key const> keys) {
    auto const size = keys.size();
    remake(sorted_, size);
    remake(places_, size);
    for (std::int64_t i = 0; i < size; ++i) {
      sorted_[i] = keys[i];
      places_[i] = i;
    }
    policy_.executor().sort_by_key(sorted_.view(), places_.view());
    remake(distinct_, size);
    remake(begins_, size + 1);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      if (i == 0 || sorted_[i] != sorted_[i - 1]) {
        distinct_[count] = sorted_[i];
        begins_[count++] = i;
      }
    }
    begins_[count] = size;
    distinct_.resize(count);
  }

  [[nodiscard]] std::int64_t size() const noexcept { return distinct_.size(); }
  /// @shape  [size()]
  [[nodiscard]] array_view<space, global_id const> keys() const noexcept { return distinct_.view(); }
  /// Returns the places of the key of group g.
  [[nodiscard]] array_view<space, std::int64_t const> places(std::int64_t g) const noexcept {
    return places_.view().subview(begins_[g], begins_[g + 1] - begins_[g]);
  }

private:
  template <class T>
  static void remake(buffer<message_policy<Policy>, T>& list, std::int64_t size) {
    list.clear(); // nothing to keep
    list.resize(size);
  }

  Policy policy_;
  buffer<message_policy<Policy>, global_id> sorted_;
  buffer<message_policy<Policy>, std::int64_t> places_;
  buffer<message_policy<Policy>, global_id> distinct_;
  buffer<message_policy<Policy>, std::int64_t> begins_;
};

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

template <host_policy Policy, class T>
struct write_row_sums {
  weighted_row_sums<Policy, T> sums;
  T* out;
  void operator()(std::int64_t group) const {
    for (std::int64_t f = 0; f < sums.columns; ++f) {
      out[group * sums.columns + f] = static_cast<T>(sums(group, f));
    }
  }
};

/// Functor that returns the number of an element that is not finite, or `size`.
template <class T>
struct place_if_not_finite {
  T const* elements;
  std::int64_t size;
  std::int64_t operator()(std::int64_t i) const { return std::isfinite(elements[i]) ? size : i; }
};

/// Exchange of vertex gradients: adds them up and sends the sums to the owners of the rows, which apply them.
///
/// Call `agree`, `exchange` and `apply`. Reusable; the memory is kept.
template <communicator Comm, host_policy Policy, class T>
class gradient_exchange {
  static constexpr memory_space space = Policy::space;

public:
  /// @comm   as the constructor of `slice_exchange`
  gradient_exchange(Comm comm, Policy policy)
      : policy_(policy), vertices_(policy), sums_(0, policy), requests_(std::move(comm), policy), rows_(policy),
        received_(make_message_buffer<T>(policy)), weights_(make_message_buffer<double>(policy)) {}

  [[nodiscard]] auto& host() noexcept { return requests_.exchange().host(); }

  /// Checks and adds up gradients, agrees with the other ranks, and returns the number of seeds of all ranks.
  ///
  /// @shape  vertices [N] · gradients [N, columns]
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if one has a fault or invalid gradients
  template <class Vertex>
  std::int64_t agree(call_site site, partition_book const& book, array_view<space, Vertex const> vertices,
                     matrix_view<space, T const> gradients, std::int64_t columns, std::int64_t num_seeds,
                     std::string const& fault) {
    auto const failure =
        !fault.empty() ? fault : failure_of([&] { add_up(book, vertices, gradients, columns, num_seeds); });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    headers_ = requests_.agree(site, num_seeds);
    num_seeds_ = total_value(headers_);
    return num_seeds_;
  }

  /// Adds the update that was agreed on to a fingerprint of the training's history, and returns the new one. An update
  /// is told by the numbers of seeds and vertices of each rank. The result is the same on all ranks.
  [[nodiscard]] std::int64_t add_to(std::int64_t history) const {
    fingerprint print;
    print.add(history);
    for (auto const& header : headers_) {
      print.add(header.value).add(header.total);
    }
    return print.value();
  }

  /// @comm   collective; if a rank has gradients for another, two variable exchanges
  void exchange(std::int64_t columns) {
    requests_.start();
    requests_.finish();
    auto const offsets = requests_.received_offsets();
    received_.clear();
    received_.resize(offsets.back() * columns);
    requests_.exchange().start_from(requests_.offsets(), std::as_const(sums_).view(), received_.view(), columns);
    rows_.group(requests_.received());
    weights_.clear();
    weights_.resize(offsets.back());
    for (std::size_t rank = 0; rank < headers_.size(); ++rank) {
      for (auto i = offsets[rank]; i < offsets[rank + 1]; ++i) {
        weights_[i] = static_cast<double>(headers_[rank].value) / static_cast<double>(num_seeds_);
      }
    }
    requests_.exchange().wait();
  }

  /// Updates the rows of this rank that have gradients.
  template <class Step>
  void apply(std::int64_t columns, embedding_arrays<space, T> arrays, Step step) const {
    policy_.executor().for_each(
        rows_.size(), update_row<Policy, T, Step>{{&rows_, weights_.data(), received_.data(), columns}, arrays, step});
  }

private:
  template <class Vertex>
  void add_up(partition_book const& book, array_view<space, Vertex const> vertices,
              matrix_view<space, T const> gradients, std::int64_t columns, std::int64_t num_seeds) {
    if (gradients.rows() != vertices.size() || gradients.columns() != columns) {
      throw precondition_error(message("gradients [", gradients.rows(), ", ", gradients.columns(), "] of ",
                                       vertices.size(), " vertices; pass [", vertices.size(), ", ", columns,
                                       "], the gradients of the rows that were collected"));
    }
    if (num_seeds < 0) {
      throw precondition_error(message("gradients of ", num_seeds, " seeds; the number is 0 or more"));
    }
    validate_vertices("vertex", vertices, book.num_vertices());
    vertices_.group(num_seeds > 0 ? vertices : vertices.subview(0, 0));
    auto const keys = vertices_.keys();
    sums_.clear();
    sums_.resize(keys.size() * columns);
    auto const ex = policy_.executor();
    ex.for_each(keys.size(),
                write_row_sums<Policy, T>{{&vertices_, nullptr, gradients.flat().data(), columns}, sums_.data()});
    auto const bad =
        ex.reduce(sums_.size(), sums_.size(), place_if_not_finite<T>{sums_.data(), sums_.size()}, smaller{});
    if (bad < sums_.size()) {
      throw precondition_error(message("gradient of vertex ", keys[bad / columns], ", column ", bad % columns, ", is ",
                                       sums_[bad],
                                       "; no row was changed, look for values in the loss that are not finite"));
    }
    requests_.route(book, keys); // ascending, so the sums are by owner as well
  }

  Policy policy_;
  key_groups<Policy> vertices_; // of this rank's list
  buffer<Policy, T> sums_;      // of their gradients
  routed_list<Comm, Policy> requests_;
  std::span<call_header const> headers_; // [R], of the last agreement
  std::int64_t num_seeds_ = 0;           // of all ranks
  key_groups<Policy> rows_;              // of the gradients that arrived for this rank's part
  buffer<message_policy<Policy>, T> received_;
  buffer<message_policy<Policy>, double> weights_; // of the gradients that arrived
};

} // namespace glt::detail
