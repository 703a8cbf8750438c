// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>

namespace glt::detail {

template <class T>
inline constexpr std::int64_t elements_of_line = 64 / static_cast<std::int64_t>(sizeof(T));

/// Number of prefetched elements of a row; the hardware itself detects how a longer row goes on.
template <class T>
inline constexpr std::int64_t most_prefetched = 8 * elements_of_line<T>;

/// Prefetches the rows at the other ends of edges that come soon, which are anywhere in memory. Edges behind a row
/// belong to the next row.
template <memory_space Space, class T>
[[gnu::always_inline]] GLT_HOST_DEVICE inline void prefetch_ends(shard_view<Space> const& shard, edge_offset first,
                                                                 edge_offset last, strided_rows<T const> const& rows,
                                                                 std::int64_t columns) {
  auto const asked = columns < most_prefetched<T> ? columns : most_prefetched<T>;
  for (auto e = first; e < last && e < shard.columns.size(); ++e) {
    auto const column = shard.columns[e];
    if (column < shard.num_columns) { // a column of another shard may be beyond the rows
      T const* const from = rows.row(column);
      for (std::int64_t c = 0; c < asked; c += elements_of_line<T>) {
        prefetch(from + c);
      }
    }
  }
}

/// Count · 32 bytes of a row, which stay in registers while terms are added. Compilers do not keep them there by
/// themselves if the number of terms is known only at run time.
template <class T, int Count>
class vector_row;

#if defined(__GNUC__) && !defined(__CUDACC__)
inline constexpr bool has_vector_rows = true;

template <class T, int Count>
class vector_row {
  using vector [[gnu::vector_size(32)]] = T;
  using loose_vector [[gnu::vector_size(32), gnu::aligned(alignof(T)), gnu::may_alias]] = T; // in rows

public:
  static constexpr std::int64_t per_vector = 32 / sizeof(T);
  static constexpr std::int64_t columns = Count * per_vector;

  [[gnu::always_inline]] vector_row() : parts_{} {}
  [[gnu::always_inline]] explicit vector_row(T const* from) {
    for (int v = 0; v < Count; ++v) {
      parts_[v] = *reinterpret_cast<loose_vector const*>(from + v * per_vector);
    }
  }
  [[gnu::always_inline]] void add(T const* from) {
#pragma GCC unroll 16
    for (int v = 0; v < Count; ++v) {
      parts_[v] += *reinterpret_cast<loose_vector const*>(from + v * per_vector);
    }
  }
  [[gnu::always_inline]] void add(T factor, T const* from) {
#pragma GCC unroll 16
    for (int v = 0; v < Count; ++v) {
      parts_[v] += factor * *reinterpret_cast<loose_vector const*>(from + v * per_vector);
    }
  }
  [[gnu::always_inline]] void store(T* to) const {
    for (int v = 0; v < Count; ++v) {
      *reinterpret_cast<loose_vector*>(to + v * per_vector) = parts_[v];
    }
  }

private:
  vector parts_[Count];
};
#else
inline constexpr bool has_vector_rows = false; // nvcc has none
#endif

/// Edges that all have the factor 1.
struct plain_edges {
  static constexpr bool is_plain = true;
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T factor(std::int64_t, std::int64_t, std::int64_t) const {
    return T(1);
  }
};

/// Edges whose factor is a weight per head, divided by the degree of the destination for means.
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

/// Terms of a sum that are added as they are.
struct plain_terms {
  template <class T>
  using sum_type = T;
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T of(T term, std::int64_t) const {
    return term;
  }
  /// Type of a sum while several terms are added; `shifted` terms are added to it, and `settled` makes it a sum again.
  template <class T>
  using running_type = T;
  template <class T>
  [[nodiscard]] GLT_HOST_DEVICE T shifted(T term, std::int64_t) const {
    return term;
  }
  template <int Count, class T>
  [[nodiscard]] static GLT_HOST_DEVICE T settled(T sum) {
    return sum;
  }
  [[nodiscard]] GLT_HOST_DEVICE plain_terms from(std::int64_t) const { return {}; }
};

/// y[row] += Σ over the edges of the row of factor · x[column], in the format of `terms`.
///
/// A row's edges are added in their order, four at a time so that y is read and written once for them.
template <memory_space Space, class T, class Edges, class Terms = plain_terms>
struct add_rows {
  using sum_type = typename Terms::template sum_type<T>;
  using running_type = typename Terms::template running_type<T>;

  shard_view<Space> shard;
  T const* x;  // [shard.num_columns, columns]
  sum_type* y; // [shard.num_rows, columns]
  sliced_rows pieces;
  std::int64_t head_columns; // columns of a head
  Edges edges;
  Terms terms = {};
  bool is_fresh = false; // y holds nothing yet: sums start from 0

  [[gnu::always_inline]] GLT_HOST_DEVICE void run(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const begin = pieces.first(i);
    auto const last = shard.offsets[row + 1];
    sum_type* const to = y + std::int64_t{shard.rows[row]} * pieces.total;
    auto e = shard.offsets[row];
    if (pieces.width > 1 && shard.rows.size() < shard.num_rows / 2) { // without gaps the hardware prefetches them
      strided_rows<sum_type>{y, pieces.total, shard.rows.data()}.prefetch_after(row, shard.rows.size());
    }
    if constexpr (has_vector_rows && Space == memory_space::host && std::is_same_v<T, sum_type>) {
      bool const is_long = last - e >= 8; // rows of few edges gain more from reading four at once
      if (add_vectors<2>(e, last, to) || add_vectors<4>(e, last, to) || add_vectors<8>(e, last, to) ||
          (is_long && add_vectors<16>(e, last, to))) {
        return;
      }
    }
    for (auto c = begin; is_fresh && c < begin + pieces.width; ++c) {
      to[c] = sum_type(0);
    }
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
  // Adds the edges of a row of one head and `Count` vectors; its sum stays in registers.
  template <int Count>
  [[gnu::always_inline]] bool add_vectors(edge_offset e, edge_offset last, sum_type* to) const {
    using sums_type = vector_row<T, Count>;
    if (pieces.total != sums_type::columns || head_columns != pieces.total) {
      return false;
    }
    auto sums = is_fresh ? sums_type() : sums_type(to);
    for (; e < last; ++e) {
      ask_for<1>(e, 0);
      T const* const from = x + std::int64_t{shard.columns[e]} * pieces.total;
      if constexpr (Edges::is_plain) {
        sums.add(from);
      } else {
        sums.add(edges.template factor<T>(shard.edges[e], shard.columns[e], 0), from);
      }
    }
    sums.store(to);
    return true;
  }

  // Prefetches as much as fits the first-level cache beside the rows in use.
  template <int Count>
  [[gnu::always_inline]] GLT_HOST_DEVICE void ask_for(edge_offset e, std::int64_t begin) const {
    if (pieces.width > 1) {
      auto const ahead = pieces.width > most_prefetched<T> ? 8 : 16;
      prefetch_ends(shard, e + ahead, e + ahead + Count, strided_rows<T const>{x + begin, pieces.total}, pieces.width);
    }
  }

  template <int Count>
  [[gnu::always_inline]] GLT_HOST_DEVICE void add(edge_offset e, sum_type* to, std::int64_t begin) const {
    T const* from[Count];
    for (int j = 0; j < Count; ++j) {
      from[j] = x + std::int64_t{shard.columns[e + j]} * pieces.total;
    }
    for (auto c = begin; c < begin + pieces.width;) {
      auto const head = c / head_columns;
      auto const end =
          (head + 1) * head_columns < begin + pieces.width ? (head + 1) * head_columns : begin + pieces.width;
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
        auto const sum = static_cast<running_type>(to[i]);
        to[i] = terms.template settled<4>(
            (((sum + term(factor[0], a[i], i)) + term(factor[1], b[i], i)) + term(factor[2], c[i], i)) +
            term(factor[3], d[i], i));
      }
    } else {
      T const* __restrict a = from[0];
      for (auto i = first; i < last; ++i) {
        to[i] = terms.template settled<1>(static_cast<running_type>(to[i]) + term(factor[0], a[i], i));
      }
    }
  }

  [[gnu::always_inline]] GLT_HOST_DEVICE running_type term(T factor, T value, std::int64_t column) const {
    return terms.shifted(Edges::is_plain ? value : factor * value, column);
  }
};

template <class T>
struct fill_value {
  T* values;
  T value;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { values[i] = value; }
};

/// Functor that turns sums into means.
template <memory_space Space, class T>
struct divide_by_degree {
  array_view<Space, local_id const> degrees;
  T* y;
  sliced_rows pieces;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const degree = degrees[row];
    T* const values = y + row * pieces.total + pieces.first(i);
    for (std::int64_t c = 0; c < pieces.width && degree > 1; ++c) {
      values[c] /= static_cast<T>(degree);
    }
  }
};

template <class T>
[[nodiscard]] GLT_HOST_DEVICE T* row_or_null(strided_rows<T> const& rows, std::int64_t i) {
  return rows.stride == 0 ? nullptr : rows.row(i);
}

template <memory_space Space, class T, class Message>
struct add_messages {
  shard_view<Space> shard;
  Message message;
  strided_rows<T const> sources;
  strided_rows<T const> destinations;
  strided_rows<T> sums;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = shard.rows[i];
    for (auto e = shard.offsets[i]; e < shard.offsets[i + 1]; ++e) {
      message.message(sources.row(shard.columns[e]), row_or_null(destinations, row), shard.edges[e], sums.row(row));
    }
  }
};

template <memory_space Space, class T, class Message>
struct add_source_vjps {
  shard_view<Space> transposed;
  Message message;
  strided_rows<T const> sources;
  strided_rows<T const> destinations;
  strided_rows<T const> gradients;
  strided_rows<T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const source = transposed.rows[i];
    for (auto e = transposed.offsets[i]; e < transposed.offsets[i + 1]; ++e) {
      auto const row = transposed.columns[e];
      message.source_vjp(sources.row(source), row_or_null(destinations, row), transposed.edges[e], gradients.row(row),
                         out.row(source));
    }
  }
};

template <memory_space Space, class T, class Message>
struct add_destination_vjps {
  shard_view<Space> shard;
  Message message;
  strided_rows<T const> sources;
  strided_rows<T const> destinations;
  strided_rows<T const> gradients;
  strided_rows<T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = shard.rows[i];
    for (auto e = shard.offsets[i]; e < shard.offsets[i + 1]; ++e) {
      message.destination_vjp(sources.row(shard.columns[e]), row_or_null(destinations, row), shard.edges[e],
                              gradients.row(row), out.row(row));
    }
  }
};

} // namespace glt::detail
