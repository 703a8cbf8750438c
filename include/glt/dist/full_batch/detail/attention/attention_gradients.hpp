// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>

namespace glt::detail {

/// deltas = Σ gradient · output of a head − gradient by the logarithm of its sum.
template <class T>
struct write_deltas {
  strided_rows<T const> gradients;
  strided_rows<T const> by_log_sums; // [V, heads]; without data they are 0
  strided_rows<T const> output;
  strided_rows<T> deltas; // [V, heads]
  std::int64_t heads;
  std::int64_t value_columns;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = i / heads;
    auto const first = i % heads * value_columns;
    T const by_log_sum = by_log_sums.data ? by_log_sums.row(row)[i % heads] : T(0);
    deltas.row(row)[i % heads] =
        dot_product(gradients.row(row) + first, output.row(row) + first, value_columns) - by_log_sum;
  }
};

/// Some edges and one head in a backward pass: weights of the values in the output, and gradients by the score's
/// `join(key, query)`, before its `add_gradient`.
template <class T>
struct attended_edges {
  T weights[most_attended];
  T gradients[most_attended];

  template <shard_side Rows, class Score, class Dropout>
  [[gnu::always_inline]] GLT_HOST_DEVICE
  attended_edges(attention_sources<T> const& from, attention_destinations<T> const& to, row_edges<Rows> const& some,
                 std::int64_t head, head_columns columns, Score const& score, Dropout const& dropout) {
    T joined[most_attended] = {};
    T maxima[most_attended] = {};
    T shares[most_attended] = {};
    T deltas[most_attended] = {};
    T products[most_attended] = {};
    T factors[most_attended] = {};
    for (int j = 0; j < some.count; ++j) {
      auto const source = some.source(j);
      auto const destination = some.destination(j);
      joined[j] =
          score.join(from.keys.row(source) + head * columns.keys, to.queries.row(destination) + head * columns.keys);
      T const* const softmax = to.softmax.row(destination) + head;
      maxima[j] = softmax[0];
      shares[j] = softmax[to.heads];
      deltas[j] = to.deltas.row(destination)[head];
      products[j] = dot_product(to.gradients.row(destination) + head * columns.values,
                                from.values.row(source) + head * columns.values, columns.values);
      factors[j] = dropout.template factor<T>(some.edges[j], head);
    }
    for (int j = 0; j < num_powers<T>(some.count); ++j) {
      T const share = power_of_score(score.of(joined[j]), maxima[j]) * shares[j];
      weights[j] = share * factors[j];
      gradients[j] = (weights[j] * products[j] - share * deltas[j]) * score.derivative(joined[j]);
    }
  }
};

/// Formats in which the gradients of an attention are summed.
template <class Terms>
struct attention_terms {
  Terms values = {};
  Terms keys = {};
  Terms queries = {};
};

/// Arrays in which the gradients of an attention are summed.
template <class Sum>
struct attention_sums {
  strided_rows<Sum> values;
  strided_rows<Sum> keys;
  strided_rows<Sum> queries;
};

/// Functor that adds the gradients by values and keys of the edges of a transposed shard.
template <memory_space Space, class T, class Score, class Dropout, class Terms = plain_terms>
struct add_source_gradients {
  using sum_type = typename Terms::template sum_type<T>;

  shard_view<Space> shard; // rows are sources
  attention_sources<T> from;
  attention_destinations<T> to;
  attention_sums<sum_type> by;
  sliced_rows pieces;
  head_columns columns;
  Score score;
  Dropout dropout;
  attention_terms<Terms> terms = {};
  T* gradients = nullptr; // [heads] for each edge from `first_edge` on, as in `attended_edges`; or null
  edge_offset first_edge = 0;

  [[gnu::always_inline]] GLT_HOST_DEVICE void run(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const first_head = pieces.first(i);
    auto const last = shard.offsets[row + 1];
    for (auto e = shard.offsets[row]; e < last; e += most_attended) {
      auto const some = some_edges<shard_side::source>(shard, row, e, last);
      bool const is_whole = pieces.width == pieces.total;
      auto const next = e + most_attended;
      if (is_whole) {
        prefetch_ends(shard, next, next + some.count, to.queries, pieces.total * columns.keys);
        prefetch_ends(shard, next, next + some.count, to.softmax, 3 * pieces.total);
      }
      for (auto head = first_head; head < first_head + pieces.width; ++head) {
        if (is_whole) {
          prefetch_ends(shard, next, next + some.count, columns_from(to.gradients, head * columns.values),
                        columns.values);
        }
        add(some, e, head);
      }
    }
  }

private:
  [[gnu::always_inline]] GLT_HOST_DEVICE void add(row_edges<shard_side::source> const& some, edge_offset e,
                                                  std::int64_t head) const {
    attended_edges<T> const edges(from, to, some, head, columns, score, dropout);
    add_scaled_rows(some.count, edges.weights, to.gradients, some.columns, head * columns.values,
                    by.values.row(some.row) + head * columns.values, columns.values,
                    terms.values.from(head * columns.values));
    for (int j = 0; j < some.count; ++j) {
      score.add_gradient(edges.gradients[j], to.queries.row(some.columns[j]) + head * columns.keys,
                         by.keys.row(some.row) + head * columns.keys, terms.keys.from(head * columns.keys));
      if (gradients != nullptr) {
        gradients[(e + j - first_edge) * pieces.total + head] = edges.gradients[j];
      }
    }
  }
};

template <memory_space Space, class T, class Score, class Dropout, class Terms = plain_terms>
struct add_query_gradients {
  using sum_type = typename Terms::template sum_type<T>;

  shard_view<Space> shard;
  attention_sources<T> from;
  attention_destinations<T> to;
  strided_rows<sum_type> by_queries;
  sliced_rows pieces;
  head_columns columns;
  Score score;
  Dropout dropout;
  Terms terms = {};

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const first_head = pieces.first(i);
    auto const last = shard.offsets[row + 1];
    for (auto e = shard.offsets[row]; e < last; e += most_attended) {
      auto const some = some_edges<shard_side::destination>(shard, row, e, last);
      for (auto head = first_head; head < first_head + pieces.width; ++head) {
        attended_edges<T> const edges(from, to, some, head, columns, score, dropout);
        for (int j = 0; j < some.count; ++j) {
          score.add_gradient(edges.gradients[j], from.keys.row(some.columns[j]) + head * columns.keys,
                             by_queries.row(some.row) + head * columns.keys, terms.from(head * columns.keys));
        }
      }
    }
  }
};

} // namespace glt::detail
