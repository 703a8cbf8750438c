// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/random.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace glt::detail {

/// Σ a[c] · b[c], in an order that leaves several sums at a time to the processor.
template <class T>
[[nodiscard]] GLT_HOST_DEVICE T dot_product(T const* __restrict a, T const* __restrict b, std::int64_t columns) {
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

/// to[c] += factor · from[c]
template <class T>
GLT_HOST_DEVICE void add_scaled(T factor, T const* __restrict from, T* __restrict to, std::int64_t columns) {
  for (std::int64_t c = 0; c < columns; ++c) {
    to[c] += factor * from[c];
  }
}

/// The same for four rows, so that `to` is read and written once for them.
template <class T>
GLT_HOST_DEVICE void add_scaled(T const (&factors)[4], T const* const (&from)[4], T* __restrict to,
                                std::int64_t columns) {
  T const* __restrict a = from[0];
  T const* __restrict b = from[1];
  T const* __restrict c = from[2];
  T const* __restrict d = from[3];
  for (std::int64_t i = 0; i < columns; ++i) {
    to[i] = (((to[i] + factors[0] * a[i]) + factors[1] * b[i]) + factors[2] * c[i]) + factors[3] * d[i];
  }
}

/// leaky_relu(key + query), for one head.
template <class T>
struct additive_score {
  T slope;
  [[nodiscard]] GLT_HOST_DEVICE T operator()(T const* key, T const* query) const {
    T const sum = key[0] + query[0];
    return sum > 0 ? sum : slope * sum;
  }
  /// Adds what a gradient by the score is by the first of its arguments; the score is symmetric.
  GLT_HOST_DEVICE void add_gradient(T gradient, T const* key, T const* query, T* out) const {
    out[0] += key[0] + query[0] > 0 ? gradient : slope * gradient;
  }
};

/// scale · Σ key[c] · query[c], for one head.
template <class T>
struct dot_product_score {
  T scale;
  std::int64_t columns;
  [[nodiscard]] GLT_HOST_DEVICE T operator()(T const* key, T const* query) const {
    return scale * dot_product(key, query, columns);
  }
  GLT_HOST_DEVICE void add_gradient(T gradient, T const*, T const* query, T* out) const {
    add_scaled(scale * gradient, query, out, columns);
  }
};

/// Every coefficient stays.
struct no_dropout {
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T factor(std::int64_t, std::int64_t) const {
    return T(1);
  }
};

/// Coefficients become 0 by a random number of edge and head: word `head` of the edge's stream.
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
