// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/core/detail/wide_registers.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <type_traits>

namespace glt::detail {

/// A number as another type; those of 16 bits go through float.
template <class To, class From>
[[nodiscard]] GLT_HOST_DEVICE To as_number(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (sizeof(To) == 2) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(static_cast<float>(value));
  }
}

/// Every edge counts once.
struct plain_edges {
  static constexpr bool is_plain = true;
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T factor(std::int64_t, std::int64_t, std::int64_t) const {
    return T(1);
  }
};

/// An edge counts by its weight, one per head, and by the degree of the destination if a mean is asked for.
template <memory_space Space, class Weight>
struct weighted_edges {
  static constexpr bool is_plain = false;
  array_view<Space, Weight const> weights; // [E · heads], or empty
  std::int64_t heads;
  array_view<Space, local_id const> degrees; // of the vertices that `factor` gets, or empty
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T factor(std::int64_t edge, std::int64_t vertex, std::int64_t head) const {
    T const weight = weights.empty() ? T(1) : static_cast<T>(weights[edge * heads + head]);
    return degrees.empty() ? weight : weight / static_cast<T>(degrees[vertex]);
  }
};

/// Item i of a shard's rows, cut into pieces of `width` columns: whole rows on hosts, single elements on devices, where
/// neighbouring threads then read neighbouring addresses.
struct column_pieces {
  std::int64_t columns;
  std::int64_t width;

  template <device_policy Policy>
  [[nodiscard]] static column_pieces of(std::int64_t columns) {
    return {columns, host_policy<Policy> ? columns : 1};
  }
  [[nodiscard]] std::int64_t count(std::int64_t rows) const { return columns == 0 ? 0 : rows * (columns / width); }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t i) const { return i / (columns / width); }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t first_column(std::int64_t i) const {
    return i % (columns / width) * width;
  }
};

/// Terms of a sum are added as they are.
struct plain_terms {
  template <class T>
  using sum_type = T;
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T of(T term) const {
    return term;
  }
};

/// y[row] += Σ over the edges of the row of factor · x[column], each as `terms` say.
///
/// A row's edges are added in their order, four at a time so that y is read and written once for them.
template <memory_space Space, class T, class Edges, class Terms = plain_terms>
struct add_rows {
  using sum_type = typename Terms::template sum_type<T>;

  dist::shard_view<Space> shard;
  T const* x;  // [shard.num_columns, columns]
  sum_type* y; // [shard.num_rows, columns]
  column_pieces pieces;
  std::int64_t head_columns; // columns of a head
  Edges edges;
  Terms terms = {};
  bool is_wide = has_wide_registers();

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (is_wide) {
      run_wide(*this, i);
    } else {
      run(i);
    }
  }

  [[gnu::always_inline]] GLT_HOST_DEVICE void run(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const begin = pieces.first_column(i);
    auto const last = shard.offsets[row + 1];
    sum_type* const to = y + std::int64_t{shard.rows[row]} * pieces.columns;
    auto e = shard.offsets[row];
    for (; e + 4 <= last; e += 4) {
      ask_for<4>(e, begin);
      add<4>(e, to, begin);
    }
    for (; e < last; ++e) {
      ask_for<1>(e, begin);
      add<1>(e, to, begin);
    }
  }

private:
  static constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T)); // elements of a cache line

  // Asks for the rows of edges that come later, of this row or of one behind it.
  template <int Count>
  [[gnu::always_inline]] GLT_HOST_DEVICE void ask_for(edge_offset e, std::int64_t begin) const {
    // what fits the first-level cache beside the rows in use; the hardware sees on its own how a long row goes on
    auto const ahead = pieces.width > 8 * line ? 8 : 16;
    auto const asked = pieces.width < 8 * line ? pieces.width : 8 * line;
    for (auto later = e + ahead; later < e + ahead + Count && later < shard.columns.size(); ++later) {
      auto const column = shard.columns[later];
      if (pieces.width > 1 && column < shard.num_columns) { // that of another shard may be beyond x
        T const* const from = x + std::int64_t{column} * pieces.columns + begin;
        for (std::int64_t c = 0; c < asked; c += line) {
          prefetch(from + c);
        }
      }
    }
  }

  template <int Count>
  [[gnu::always_inline]] GLT_HOST_DEVICE void add(edge_offset e, sum_type* to, std::int64_t begin) const {
    T const* from[Count];
    for (int j = 0; j < Count; ++j) {
      from[j] = x + std::int64_t{shard.columns[e + j]} * pieces.columns;
    }
    for (auto c = begin; c < begin + pieces.width;) {
      auto const head = c / head_columns;
      auto const end = (head + 1) * head_columns < begin + pieces.width ? (head + 1) * head_columns : begin + pieces.width;
      T factor[Count];
      for (int j = 0; j < Count; ++j) {
        factor[j] = edges.template factor<T>(shard.edges[e + j], shard.columns[e + j], head);
      }
      add_columns<Count>(from, factor, to, c, end);
      c = end;
    }
  }

  template <int Count>
  [[gnu::always_inline]] GLT_HOST_DEVICE void add_columns(T const* const (&from)[Count], T const (&factor)[Count],
                                                          sum_type* __restrict to, std::int64_t first,
                                                          std::int64_t last) const {
    if constexpr (Count == 4) {
      T const* __restrict a = from[0];
      T const* __restrict b = from[1];
      T const* __restrict c = from[2];
      T const* __restrict d = from[3];
      for (auto i = first; i < last; ++i) {
        to[i] = (((to[i] + term(factor[0], a[i])) + term(factor[1], b[i])) + term(factor[2], c[i])) + term(factor[3], d[i]);
      }
    } else {
      T const* __restrict a = from[0];
      for (auto i = first; i < last; ++i) {
        to[i] += term(factor[0], a[i]);
      }
    }
  }

  [[gnu::always_inline]] GLT_HOST_DEVICE sum_type term(T factor, T value) const {
    return terms.of(Edges::is_plain ? value : factor * value);
  }
};

/// Rows of x that others need, one after the other, as they travel.
template <memory_space Space, class T, class Wire = T>
struct gather_sent_rows {
  array_view<Space, local_id const> rows;
  T const* x;
  Wire* block;
  column_pieces pieces;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const begin = pieces.first_column(i);
    T const* const from = x + std::int64_t{rows[pieces.row(i)]} * pieces.columns + begin;
    Wire* const to = block + pieces.row(i) * pieces.columns + begin;
    for (std::int64_t c = 0; c < pieces.width; ++c) {
      to[c] = as_number<Wire>(from[c]);
    }
  }
};

/// Adds what others have computed for own rows.
template <memory_space Space, class T, class Wire = T>
struct add_sent_rows {
  array_view<Space, local_id const> rows;
  Wire const* block;
  T* y;
  column_pieces pieces;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const begin = pieces.first_column(i);
    Wire const* const from = block + pieces.row(i) * pieces.columns + begin;
    T* const to = y + std::int64_t{rows[pieces.row(i)]} * pieces.columns + begin;
    for (std::int64_t c = 0; c < pieces.width; ++c) {
      to[c] += as_number<T>(from[c]);
    }
  }
};

/// Numbers become those of another type.
template <class From, class To>
struct convert_numbers {
  From const* from;
  To* to;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = as_number<To>(from[i]); }
};

template <class T>
struct fill_value {
  T* values;
  T value;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { values[i] = value; }
};

/// Sums become means.
template <memory_space Space, class T>
struct divide_by_degree {
  array_view<Space, local_id const> degrees;
  T* y;
  column_pieces pieces;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const degree = degrees[row];
    T* const values = y + row * pieces.columns + pieces.first_column(i);
    for (std::int64_t c = 0; c < pieces.width && degree > 1; ++c) {
      values[c] /= static_cast<T>(degree);
    }
  }
};

} // namespace glt::detail
