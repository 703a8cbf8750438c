// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/full_batch/detail/attention_scores.hpp>
#include <glt/dist/full_batch/detail/prefetch_ends.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/shard.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace glt::detail {

/// Columns of a head.
struct head_columns {
  std::int64_t values;
  std::int64_t keys;
};

template <class T>
struct attention_sources {
  strided_rows<T const> values;
  strided_rows<T const> keys;
};

template <class T>
struct attention_destinations {
  strided_rows<T const> gradients; // by the output
  strided_rows<T const> queries;
  strided_rows<T const> log_sums;
  strided_rows<T const> deltas; // Σ gradient · output of a head
};

/// Adds the edges of a shard to the averages of their destinations.
///
/// What an average is so far is output / sums, scaled by exp(−maxima): when a larger score comes, both are scaled anew.
///
/// @source Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018
template <memory_space Space, class T, class Score, class Dropout>
struct attend_rows {
  dist::shard_view<Space> shard;
  attention_sources<T> from;
  strided_rows<T const> queries;
  strided_rows<T> output;
  strided_rows<T> maxima; // −∞ before the first edge
  strided_rows<T> sums;
  sliced_rows pieces;
  head_columns columns;
  Score score;
  Dropout dropout;

  static constexpr int most = 8; // edges at a time

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const first_head = pieces.first(i);
    auto const last = shard.offsets[row + 1];
    for (auto e = shard.offsets[row]; e < last; e += most) {
      auto const count = last - e < most ? static_cast<int>(last - e) : most;
      if (pieces.width == pieces.total) {
        prefetch_ends(shard, e + most, e + 2 * most, from.values, pieces.total * columns.values);
        prefetch_ends(shard, e + 2 * most, e + 3 * most, from.keys, pieces.total * columns.keys);
      }
      for (auto head = first_head; head < first_head + pieces.width; ++head) {
        add(e, count, shard.rows[row], head);
      }
    }
  }

private:
  GLT_HOST_DEVICE void add(edge_offset e, int count, std::int64_t destination, std::int64_t head) const {
    T weights[most];
    T const* const query = queries.row(destination) + head * columns.keys;
    T& maximum = maxima.row(destination)[head];
    T& sum = sums.row(destination)[head];
    T* const to = output.row(destination) + head * columns.values;
    T largest = maximum;
    for (int j = 0; j < count; ++j) {
      weights[j] = score(from.keys.row(shard.columns[e + j]) + head * columns.keys, query);
      largest = weights[j] > largest ? weights[j] : largest;
    }
    if (largest > maximum) {
      T const scale = std::exp(maximum - largest);
      maximum = largest;
      sum *= scale;
      for (std::int64_t c = 0; c < columns.values; ++c) {
        to[c] *= scale;
      }
    }
    for (int j = 0; j < count; ++j) {
      // a score of −∞ excludes its edge
      T const weight =
          weights[j] == -std::numeric_limits<T>::infinity() ? T(0) : std::exp(weights[j] - largest);
      sum += weight;
      weights[j] = weight * dropout.template factor<T>(shard.edges[e + j], head);
    }
    auto const value = [&](int j) { return from.values.row(shard.columns[e + j]) + head * columns.values; };
    int j = 0;
    for (; j + 4 <= count; j += 4) {
      T const factors[] = {weights[j], weights[j + 1], weights[j + 2], weights[j + 3]};
      T const* const rows[] = {value(j), value(j + 1), value(j + 2), value(j + 3)};
      add_scaled(factors, rows, to, columns.values);
    }
    for (; j < count; ++j) {
      add_scaled(weights[j], value(j), to, columns.values);
    }
  }
};

/// Sums become averages, maxima the logarithms of the sums.
template <class T>
struct finish_attention {
  strided_rows<T> output;
  strided_rows<T> maxima;
  strided_rows<T const> sums;
  std::int64_t heads;
  std::int64_t value_columns;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = i / heads;
    auto const head = i % heads;
    T const sum = sums.row(row)[head];
    T* const values = output.row(row) + head * value_columns;
    for (std::int64_t c = 0; c < value_columns && sum != 0; ++c) {
      values[c] /= sum;
    }
    maxima.row(row)[head] += std::log(sum);
  }
};

/// deltas = Σ gradient · output of a head.
template <class T>
struct write_deltas {
  strided_rows<T const> gradients;
  strided_rows<T const> output;
  T* deltas; // [V · heads]
  std::int64_t heads;
  std::int64_t value_columns;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const first = i % heads * value_columns;
    deltas[i] = dot_product(gradients.row(i / heads) + first, output.row(i / heads) + first, value_columns);
  }
};

/// One edge and head in a backward pass: both ends' rows, the coefficient, and the gradient by the score.
template <class T>
struct attention_edge {
  T const* value;
  T const* key;
  T const* gradient;
  T const* query;
  T weight; // of the value in the output
  T score_gradient;

  template <class Score, class Dropout>
  GLT_HOST_DEVICE attention_edge(attention_sources<T> const& from, attention_destinations<T> const& to,
                                 std::int64_t source, std::int64_t destination, std::int64_t edge,
                                 std::int64_t head, head_columns columns, Score const& score,
                                 Dropout const& dropout)
      : value(from.values.row(source) + head * columns.values),
        key(from.keys.row(source) + head * columns.keys),
        gradient(to.gradients.row(destination) + head * columns.values),
        query(to.queries.row(destination) + head * columns.keys) {
    T const raw = score(key, query);
    bool const is_excluded = raw == -std::numeric_limits<T>::infinity();
    T const share = is_excluded ? T(0) : std::exp(raw - to.log_sums.row(destination)[head]);
    weight = share * dropout.template factor<T>(edge, head);
    score_gradient =
        weight * dot_product(gradient, value, columns.values) - share * to.deltas.row(destination)[head];
  }
};

/// Adds the gradients by values and keys of the edges of a transposed shard.
template <memory_space Space, class T, class Score, class Dropout>
struct add_source_gradients {
  dist::shard_view<Space> shard; // rows are sources
  attention_sources<T> from;
  attention_destinations<T> to;
  strided_rows<T> by_values;
  strided_rows<T> by_keys;
  sliced_rows pieces;
  head_columns columns;
  Score score;
  Dropout dropout;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const first_head = pieces.first(i);
    auto const source = shard.rows[row];
    for (auto e = shard.offsets[row]; e < shard.offsets[row + 1]; ++e) {
      if (pieces.width == pieces.total) {
        prefetch_ends(shard, e + 6, e + 7, to.gradients, pieces.total * columns.values);
        prefetch_ends(shard, e + 6, e + 7, to.queries, pieces.total * columns.keys);
        prefetch_ends(shard, e + 6, e + 7, to.log_sums, pieces.total);
        prefetch_ends(shard, e + 6, e + 7, to.deltas, pieces.total);
      }
      for (auto head = first_head; head < first_head + pieces.width; ++head) {
        attention_edge<T> const edge(from, to, source, shard.columns[e], shard.edges[e], head, columns, score,
                                     dropout);
        add_scaled(edge.weight, edge.gradient, by_values.row(source) + head * columns.values, columns.values);
        score.add_gradient(edge.score_gradient, edge.key, edge.query,
                           by_keys.row(source) + head * columns.keys);
      }
    }
  }
};

/// Adds the gradients by queries of the edges of a shard.
template <memory_space Space, class T, class Score, class Dropout>
struct add_query_gradients {
  dist::shard_view<Space> shard; // rows are destinations
  attention_sources<T> from;
  attention_destinations<T> to;
  strided_rows<T> by_queries;
  sliced_rows pieces;
  head_columns columns;
  Score score;
  Dropout dropout;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const first_head = pieces.first(i);
    auto const destination = shard.rows[row];
    for (auto e = shard.offsets[row]; e < shard.offsets[row + 1]; ++e) {
      if (pieces.width == pieces.total) {
        prefetch_ends(shard, e + 6, e + 7, from.values, pieces.total * columns.values);
        prefetch_ends(shard, e + 6, e + 7, from.keys, pieces.total * columns.keys);
      }
      for (auto head = first_head; head < first_head + pieces.width; ++head) {
        attention_edge<T> const edge(from, to, shard.columns[e], destination, shard.edges[e], head, columns,
                                     score, dropout);
        score.add_gradient(edge.score_gradient, edge.query, edge.key,
                           by_queries.row(destination) + head * columns.keys);
      }
    }
  }
};

} // namespace glt::detail
