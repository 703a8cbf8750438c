// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/row_kernels.hpp>

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

/// Dropout that keeps every coefficient.
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

} // namespace glt::detail
