// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/attention/attention_scores.hpp>
#include <glt/dist/full_batch/detail/prefetch_ends.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>

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
  strided_rows<T const> softmax; // [2 · heads]; deltas may follow in memory
  strided_rows<T const> deltas;  // Σ gradient · output of a head
  std::int64_t heads;
};

/// Columns of `attention_result::softmax`.
template <class T>
struct softmax_rows {
  strided_rows<T> maxima;
  strided_rows<T> shares; // the sums of powers while edges are added

  softmax_rows(T* data, std::int64_t heads) : maxima{data, 2 * heads}, shares{data + (data ? heads : 0), 2 * heads} {}
};

/// Number of edges of a row that are processed at a time.
inline constexpr int most_attended = 8;

/// Returns the number of powers computed for `count` edges: for floats a full register, else one per edge.
template <class T>
[[nodiscard]] GLT_HOST_DEVICE constexpr int num_powers(int count) {
  return std::is_same_v<T, float> ? most_attended : count;
}

/// Returns exp(score − by); a score of −∞ excludes its edge.
template <class T>
[[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE inline T power_of_score(T score, T by) {
  return power_of_e(score - choose(score == -std::numeric_limits<T>::infinity(), T(0), by));
}

/// Returns the same rows without their first columns.
template <class T>
[[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE inline strided_rows<T> columns_from(strided_rows<T> const& rows,
                                                                                      std::int64_t first) {
  return {rows.data + first, rows.stride, rows.places};
}

/// Up to `most_attended` edges of one row of a shard.
template <shard_side Rows>
struct row_edges {
  std::int64_t row;
  local_id const* columns; // [count]
  local_id const* edges;   // [count]
  int count;

  [[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE std::int64_t source(int j) const {
    return Rows == shard_side::source ? row : columns[j];
  }
  [[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE std::int64_t destination(int j) const {
    return Rows == shard_side::destination ? row : columns[j];
  }
};

/// Returns at most `most_attended` edges of a row, from e on and before `last`.
template <shard_side Rows, memory_space Space>
[[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE inline row_edges<Rows>
some_edges(shard_view<Space> const& shard, std::int64_t row, edge_offset e, edge_offset last) {
  return {shard.rows[row], shard.columns.data() + e, shard.edges.data() + e,
          last - e < most_attended ? static_cast<int>(last - e) : most_attended};
}

/// to[c] += Σ factors[j] · from.row(columns[j])[first + c] over `count` rows, as `terms` say.
template <class T, class Sum, class Terms>
[[gnu::always_inline]] GLT_HOST_DEVICE inline void
add_scaled_rows(int count, T const* factors, strided_rows<T const> const& from, local_id const* columns,
                std::int64_t first, Sum* to, std::int64_t width, Terms const& terms) {
  int j = 0;
  for (; j + 4 <= count; j += 4) {
    T const some[] = {factors[j], factors[j + 1], factors[j + 2], factors[j + 3]};
    T const* const rows[] = {from.row(columns[j]) + first, from.row(columns[j + 1]) + first,
                             from.row(columns[j + 2]) + first, from.row(columns[j + 3]) + first};
    add_four_scaled(some, rows, to, width, terms);
  }
  for (; j < count; ++j) {
    add_scaled(factors[j], from.row(columns[j]) + first, to, width, terms);
  }
}

/// Functor that adds the edges of a shard to the averages of their destinations.
///
/// The average so far is output / sums, scaled by exp(−maxima); a larger score rescales both. Terms in fixed point use
/// the maxima of all edges, which are computed before.
///
/// @source Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018
template <memory_space Space, class T, class Score, class Dropout, class Terms = plain_terms>
struct attend_rows {
  using sum_type = typename Terms::template sum_type<T>;

  shard_view<Space> shard;
  attention_sources<T> from;
  strided_rows<T const> queries;
  strided_rows<sum_type> output;
  strided_rows<T> maxima; // −∞ before the first edge
  strided_rows<sum_type> sums;
  sliced_rows pieces;
  head_columns columns;
  Score score;
  Dropout dropout;
  Terms of_values = {};
  Terms of_sums = {};

  [[gnu::always_inline]] GLT_HOST_DEVICE void run(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const first_head = pieces.first(i);
    auto const last = shard.offsets[row + 1];
    for (auto e = shard.offsets[row]; e < last; e += most_attended) {
      auto const some = some_edges<shard_side::destination>(shard, row, e, last);
      bool const is_whole = pieces.width == pieces.total;
      auto const next = e + most_attended;
      if (is_whole) {
        prefetch_ends(shard, next, next + some.count, from.keys, pieces.total * columns.keys);
      }
      for (auto head = first_head; head < first_head + pieces.width; ++head) {
        if (is_whole) {
          prefetch_ends(shard, next, next + some.count, columns_from(from.values, head * columns.values),
                        columns.values);
        }
        add(some, head);
      }
    }
  }

private:
  [[gnu::always_inline]] GLT_HOST_DEVICE void add(row_edges<shard_side::destination> const& some,
                                                  std::int64_t head) const {
    auto const destination = some.row;
    T weights[most_attended] = {};
    T const* const query = queries.row(destination) + head * columns.keys;
    T& maximum = maxima.row(destination)[head];
    sum_type& sum = sums.row(destination)[head];
    sum_type* const to = output.row(destination) + head * columns.values;
    T largest = maximum;
    for (int j = 0; j < some.count; ++j) {
      weights[j] = score.of(score.join(from.keys.row(some.source(j)) + head * columns.keys, query));
      largest = weights[j] > largest ? weights[j] : largest;
    }
    if constexpr (std::is_same_v<Terms, plain_terms>) {
      if (largest > maximum) {
        T const scale = power_of_score(maximum, largest);
        maximum = largest;
        sum *= scale;
        for (std::int64_t c = 0; c < columns.values; ++c) {
          to[c] *= scale;
        }
      }
    }
    for (int j = 0; j < num_powers<T>(some.count); ++j) {
      weights[j] = power_of_score(weights[j], largest);
    }
    for (int j = 0; j < some.count; ++j) {
      sum += of_sums.of(weights[j], head);
      weights[j] *= dropout.template factor<T>(some.edges[j], head);
    }
    add_scaled_rows(some.count, weights, from.values, some.columns, head * columns.values, to, columns.values,
                    of_values.from(head * columns.values));
  }
};

/// Functor that initialises a softmax: maxima to −∞, sums of powers to 0.
template <class T>
struct start_softmax {
  T* softmax; // [V, 2 · heads]
  sliced_rows pieces;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    T* const row = softmax + pieces.row(i) * pieces.total;
    for (auto c = pieces.first(i); c < pieces.first(i) + pieces.width; ++c) {
      row[c] = c < pieces.total / 2 ? -std::numeric_limits<T>::infinity() : T(0);
    }
  }
};

/// Functor that turns sums of values into averages, and sums of powers into the shares of the largest scores.
template <class T>
struct finish_attention {
  strided_rows<T> output;
  strided_rows<T> sums;
  std::int64_t heads;
  std::int64_t value_columns;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = i / heads;
    auto const head = i % heads;
    T& share = sums.row(row)[head];
    T const sum = share;
    T* const values = output.row(row) + head * value_columns;
    for (std::int64_t c = 0; c < value_columns && sum != 0; ++c) {
      values[c] /= sum;
    }
    share = sum != 0 ? 1 / sum : T(1);
  }
};

} // namespace glt::detail
