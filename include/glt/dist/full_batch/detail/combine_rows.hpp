// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/extreme_rows.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/detail/shard.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

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
