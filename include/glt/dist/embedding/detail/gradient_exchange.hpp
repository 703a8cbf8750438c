// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/dist/embedding/detail/key_groups.hpp>
#include <glt/dist/embedding/detail/row_updates.hpp>
#include <glt/graph/validate.hpp>
#include <glt/sample/detail/validate_vertices.hpp>

namespace glt::detail {

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

  /// Returns the communicator for ordinary memory.
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
