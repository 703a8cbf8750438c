// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

inline constexpr local_id no_edge = -1;

/// Stores the larger (smaller) of a value and `best` in `best`, and its edge in `winner`. Of equal values the first in
/// the graph's rows wins, so that the choice does not depend on the ranks. A value that is not a number wins.
template <bool Largest, class T>
[[gnu::always_inline]] GLT_HOST_DEVICE inline void choose_value(T value, local_id edge, T& best, local_id& winner) {
  bool const better = Largest ? value > best : value < best;
  bool const earlier = value == best && edge < winner;
  bool const invalid = value != value && best == best;
  if (winner == no_edge || better || earlier || invalid) {
    best = value;
    winner = edge;
  }
}

/// y[row] = the largest (smallest) of y[row] and factor · x[column] over the edges of the row; `chosen` is its edge.
template <bool Largest, memory_space Space, class T, class Edges>
struct choose_rows {
  shard_view<Space> shard;
  T const* x;
  T* y;
  local_id* chosen; // [shard.num_rows, columns]
  sliced_rows pieces;
  std::int64_t head_columns;
  Edges edges;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const begin = pieces.first(i);
    auto const place = std::int64_t{shard.rows[row]} * pieces.total;
    for (auto e = shard.offsets[row]; e < shard.offsets[row + 1]; ++e) {
      auto const edge = shard.edges[e];
      T const* const from = x + std::int64_t{shard.columns[e]} * pieces.total;
      for (auto c = begin; c < begin + pieces.width; ++c) {
        T const value = edges.template factor<T>(edge, shard.columns[e], c / head_columns) * from[c];
        choose_value<Largest>(value, edge, y[place + c], chosen[place + c]);
      }
    }
  }
};

/// y[row] += Σ factor · x[column] over those edges of the row that were chosen.
template <memory_space Space, class T, class Edges>
struct add_chosen_rows {
  shard_view<Space> shard; // transposed: columns are destinations
  T const* x;
  local_id const* chosen; // [shard.num_columns, columns]
  T* y;
  sliced_rows pieces;
  std::int64_t head_columns;
  Edges edges;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = pieces.row(i);
    auto const begin = pieces.first(i);
    T* const to = y + std::int64_t{shard.rows[row]} * pieces.total;
    for (auto e = shard.offsets[row]; e < shard.offsets[row + 1]; ++e) {
      auto const place = std::int64_t{shard.columns[e]} * pieces.total;
      for (auto c = begin; c < begin + pieces.width; ++c) {
        if (chosen[place + c] == shard.edges[e]) {
          to[c] += edges.template factor<T>(shard.edges[e], shard.columns[e], c / head_columns) * x[place + c];
        }
      }
    }
  }
};

/// Gradient of each edge's weight: its source's row times its destination's gradient, summed over the columns of a
/// head.
template <memory_space Space, class T>
struct write_weight_gradients {
  shard_view<Space> shard; // forward
  T const* x;
  T const* gradient;                         // [shard.num_rows, columns]
  local_id const* chosen;                    // likewise, or null
  array_view<Space, local_id const> degrees; // of destinations, or empty
  T* out;                                    // [E, heads]
  std::int64_t columns;
  std::int64_t heads;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const destination = std::int64_t{shard.rows[i]};
    auto const head_columns = columns / heads;
    T const scale = degrees.empty() ? T(1) : T(1) / static_cast<T>(degrees[destination]);
    for (auto e = shard.offsets[i]; e < shard.offsets[i + 1]; ++e) {
      T const* const from = x + std::int64_t{shard.columns[e]} * columns;
      for (std::int64_t head = 0; head < heads; ++head) {
        T sum = 0;
        for (auto c = head * head_columns; c < (head + 1) * head_columns; ++c) {
          auto const place = destination * columns + c;
          sum += chosen == nullptr || chosen[place] == shard.edges[e] ? gradient[place] * from[c] : T(0);
        }
        out[shard.edges[e] * heads + head] = scale * sum;
      }
    }
  }
};

/// Functor that merges partial extremes of some rows into y and `winners`; `chosen` numbers `edges`.
template <bool Largest, class T>
struct merge_extremes {
  T const* values;        // [n, columns]
  local_id const* chosen; // likewise
  local_id const* edges;
  local_id const* rows; // [n]
  T* y;
  local_id* winners; // as y
  std::int64_t columns;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const place = std::int64_t{rows[i]} * columns;
    for (std::int64_t c = 0; c < columns; ++c) {
      choose_value<Largest>(values[i * columns + c], edges[chosen[i * columns + c]], y[place + c], winners[place + c]);
    }
  }
};

/// Calls visit(edges) with the kind of factors of the edges.
template <memory_space Space, class T, class Visit>
void visit_edges(dist::aggregation<Space, T> const& options, Visit visit,
                 array_view<Space, local_id const> degrees = {}) {
  if (options.edge_weights.empty() && degrees.empty()) {
    visit(plain_edges{});
  } else {
    visit(weighted_edges<Space, T>{options.edge_weights, options.heads, degrees});
  }
}

/// Combines the rows of x over a shard with the values in y and, for extremes, in `chosen`; means remain sums.
///
/// @param  is_fresh  true if y and `chosen` hold no values yet
template <device_policy Policy, class T>
void combine_rows(Policy const& policy, shard_view<Policy::space> shard, T const* x, std::int64_t columns,
                  dist::aggregation<Policy::space, T> const& options, T* y, local_id* chosen, bool is_fresh) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  auto const pieces = sliced_rows::of<Policy>(columns);
  auto const count = pieces.count(shard.rows.size());
  auto const head_columns = options.head_columns(columns);
  if (is_extreme(options.how) && is_fresh) {
    ex.for_each(shard.num_rows * columns, fill_value<T>{y, T(0)});
    ex.for_each(shard.num_rows * columns, fill_value<local_id>{chosen, no_edge});
  }
  visit_edges(options, [&]<class Edges>(Edges edges) {
    if (options.how == dist::aggregator::max) {
      ex.for_each(count, choose_rows<true, space, T, Edges>{shard, x, y, chosen, pieces, head_columns, edges});
    } else if (options.how == dist::aggregator::min) {
      ex.for_each(count, choose_rows<false, space, T, Edges>{shard, x, y, chosen, pieces, head_columns, edges});
    } else {
      row_sums<Policy, T>(policy, columns).add_edges(shard, x, y, edges, head_columns, is_fresh);
    }
  });
}

/// Adds the gradients by the rows of a transposed shard to `out`, or to zeros if `is_fresh`. `gradient` belongs to its
/// columns, whose degrees divide it.
template <device_policy Policy, class T>
void spread_rows(Policy const& policy, shard_view<Policy::space> shard, T const* gradient, local_id const* chosen,
                 std::int64_t columns, dist::aggregation<Policy::space, T> const& options,
                 array_view<Policy::space, local_id const> degrees, T* out, bool is_fresh) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  auto const pieces = sliced_rows::of<Policy>(columns);
  auto const count = pieces.count(shard.rows.size());
  auto const head_columns = options.head_columns(columns);
  visit_edges(
      options,
      [&]<class Edges>(Edges edges) {
        if (is_extreme(options.how)) {
          ex.for_each(is_fresh ? shard.num_rows * columns : 0, fill_value<T>{out, T(0)});
          ex.for_each(count,
                      add_chosen_rows<space, T, Edges>{shard, gradient, chosen, out, pieces, head_columns, edges});
        } else {
          row_sums<Policy, T>(policy, columns).add_edges(shard, gradient, out, edges, head_columns, is_fresh);
        }
      },
      degrees);
}

} // namespace glt::detail
