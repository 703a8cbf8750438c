// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>

namespace glt::detail {

/// Returns Σ a[c] · b[c], in an order that lets the processor add several sums at a time.
template <class T>
[[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE inline T dot_product(T const* __restrict a, T const* __restrict b,
                                                                       std::int64_t columns) {
  constexpr std::int64_t lanes = 8;
  T sums[lanes] = {};
  std::int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += a[c + lane] * b[c + lane];
    }
  }
  T rest = 0;
  for (; c < columns; ++c) {
    rest += a[c] * b[c];
  }
  for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) {
      sums[lane] += sums[lane + half];
    }
  }
  return sums[0] + rest;
}

/// Adds factor · from[c] to to[c], in the format of `terms`.
template <class T, class Sum, class Terms = plain_terms>
[[gnu::always_inline]] GLT_HOST_DEVICE inline void add_scaled(T factor, T const* __restrict from, Sum* __restrict to,
                                                              std::int64_t columns, Terms const& terms = {}) {
  for (std::int64_t c = 0; c < columns; ++c) {
    to[c] += terms.of(factor * from[c], c);
  }
}

/// Adds four scaled rows at once, so that `to` is read and written once for them.
template <class T, class Sum, class Terms>
[[gnu::always_inline]] GLT_HOST_DEVICE inline void add_four_scaled(T const (&factors)[4], T const* const (&from)[4],
                                                                   Sum* __restrict to, std::int64_t columns,
                                                                   Terms const& terms) {
  T const* __restrict a = from[0];
  T const* __restrict b = from[1];
  T const* __restrict c = from[2];
  T const* __restrict d = from[3];
  for (std::int64_t i = 0; i < columns; ++i) {
    auto const sum = static_cast<typename Terms::template running_type<T>>(to[i]);
    to[i] =
        terms.template settled<4>((((sum + terms.shifted(factors[0] * a[i], i)) + terms.shifted(factors[1] * b[i], i)) +
                                   terms.shifted(factors[2] * c[i], i)) +
                                  terms.shifted(factors[3] * d[i], i));
  }
}

/// Returns one of two numbers; for floats by operations that compilers vectorise.
template <class T>
[[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE inline T choose(bool is_first, T first, T second) {
  if constexpr (std::is_same_v<T, float>) {
    auto const mask = 0U - static_cast<std::uint32_t>(is_first);
    return __builtin_bit_cast(float, (__builtin_bit_cast(std::uint32_t, first) & mask) |
                                         (__builtin_bit_cast(std::uint32_t, second) & ~mask));
  } else {
    return is_first ? first : second;
  }
}

/// Returns e^x for x ≤ 88; for floats within 2⁻²² of it, and 0 below −87, by operations that compilers vectorise.
///
/// @source Moshier, Cephes library, expf
template <class T>
[[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE inline T power_of_e(T x) {
  if constexpr (std::is_same_v<T, float>) {
    constexpr float to_integer = 3 << 22;
    float const shifted = x * 1.44269504F + to_integer;
    float const exponent = shifted - to_integer;
    float const r = (x - exponent * 0.693359375F) + exponent * 2.12194440e-4F;
    float sum = 1.9875691500e-4F;
    sum = sum * r + 1.3981999507e-3F;
    sum = sum * r + 8.3334519073e-3F;
    sum = sum * r + 4.1665795894e-2F;
    sum = sum * r + 1.6666665459e-1F;
    sum = sum * r + 5.0000001201e-1F;
    auto const bits = (__builtin_bit_cast(std::uint32_t, shifted) + 127) << 23;
    float const power = (sum * r * r + r + 1) * __builtin_bit_cast(float, bits);
    return choose(x < -87, 0.0F, power);
  } else {
    return std::exp(x);
  }
}

/// leaky_relu(key + query), for one head.
template <class T>
struct additive_score {
  T slope;
  /// Joins a key and a query; `of` returns the score of the joined value.
  [[nodiscard]] GLT_HOST_DEVICE T join(T const* key, T const* query) const { return key[0] + query[0]; }
  [[nodiscard]] GLT_HOST_DEVICE T of(T joined) const { return joined * derivative(joined); }
  /// Returns the derivative of the score, without the part that `add_gradient` computes.
  [[nodiscard]] GLT_HOST_DEVICE T derivative(T joined) const { return choose(joined > 0, T(1), slope); }
  /// Adds the gradient by the key or by the query, given the other one; `gradient` includes the derivative.
  template <class Sum, class Terms = plain_terms>
  GLT_HOST_DEVICE void add_gradient(T gradient, T const*, Sum* out, Terms const& terms = {}) const {
    out[0] += terms.of(gradient, 0);
  }
};

/// scale · Σ key[c] · query[c], for one head.
template <class T>
struct dot_product_score {
  T scale;
  std::int64_t columns;
  [[nodiscard, gnu::always_inline]] GLT_HOST_DEVICE T join(T const* key, T const* query) const {
    return dot_product(key, query, columns);
  }
  [[nodiscard]] GLT_HOST_DEVICE T of(T joined) const { return scale * joined; }
  [[nodiscard]] GLT_HOST_DEVICE T derivative(T) const { return scale; }
  template <class Sum, class Terms = plain_terms>
  [[gnu::always_inline]] GLT_HOST_DEVICE void add_gradient(T gradient, T const* other, Sum* out,
                                                           Terms const& terms = {}) const {
    add_scaled(gradient, other, out, columns, terms);
  }
};

struct no_dropout {
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T factor(std::int64_t, std::int64_t) const {
    return T(1);
  }
};

/// Dropout that sets coefficients to 0 by a random number of edge and head: word `head` of the edge's stream.
template <memory_space Space>
struct keyed_dropout {
  array_view<Space, edge_id const> ids;
  random_key key;
  double rate;
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T factor(std::int64_t edge, std::int64_t head) const {
    random_stream const draws(key, static_cast<std::uint64_t>(ids[edge]));
    auto const word = draws.block(static_cast<std::uint64_t>(head) / 4)[static_cast<std::size_t>(head) % 4];
    return static_cast<double>(word) * 0x1.0p-32 < rate ? T(0) : static_cast<T>(1 / (1 - rate));
  }
};

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
