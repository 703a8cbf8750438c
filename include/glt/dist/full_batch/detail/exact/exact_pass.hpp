// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/detail/wide_registers.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/aggregate_pass.hpp>
#include <glt/dist/full_batch/detail/combine_rows.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/out_degrees.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Computes the largest degrees of a graph if a pass needs them and they are not known.
///
/// @comm   collective; none, or, at the first such pass, as `make_out_degrees`
template <communicator Comm, device_policy Policy, class T>
void prepare_exact_pass(dist::sharded_graph<Comm, Policy>& graph, dist::aggregation<Policy::space, T> const& options) {
  if (options.reproducible && !is_extreme(options.how) && !graph.known_degrees()) {
    dist::make_out_degrees(graph);
  }
}

/// Computes the fixed-point sums of a forward pass that has begun; means are not divided yet.
template <communicator Comm, device_policy Policy, class T>
void pull_exactly(aggregate_pass<Comm, Policy>& pass, Policy const& policy, matrix_view<Policy::space, T const> x, T* y,
                  dist::aggregation<Policy::space, T> const& options) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  auto const numbers = pass.choose_numbers();
  auto const pieces = sliced_rows::of<Policy>(x.columns());
  pass.pull(
      x.data(), [&] { ex.for_each(pass.num_sums(), fill_value<std::int64_t>{pass.sums(), 0}); },
      [&](dist::shard_view<space> shard, T const* rows) {
        visit_edges(options, [&]<class Edges>(Edges edges) {
          ex.for_each(pieces.count(shard.rows.size()),
                      wide_kernel{add_rows<space, T, Edges, fixed_columns>{
                          shard, rows, pass.sums(), pieces, options.head_columns(x.columns()), edges, numbers}});
        });
      });
  pass.write_exact(y, numbers);
}

/// Computes the fixed-point sums of a backward pass that has begun.
template <communicator Comm, device_policy Policy, class T>
void push_exactly(aggregate_pass<Comm, Policy>& pass, Policy const& policy,
                  matrix_view<Policy::space, T const> gradient, T* out,
                  dist::aggregation<Policy::space, T> const& options,
                  array_view<Policy::space, local_id const> degrees) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  auto const numbers = pass.choose_numbers();
  auto const columns = gradient.columns();
  auto const pieces = sliced_rows::of<Policy>(columns);
  pass.push(pass.sums(), [&](dist::shard_view<space> shard, std::int64_t* rows) {
    ex.for_each(shard.num_rows * columns, fill_value<std::int64_t>{rows, 0});
    visit_edges(
        options,
        [&]<class Edges>(Edges edges) {
          ex.for_each(pieces.count(shard.rows.size()),
                      wide_kernel{add_rows<space, T, Edges, fixed_columns>{
                          shard, gradient.data(), rows, pieces, options.head_columns(columns), edges, numbers}});
        },
        degrees);
  });
  pass.write_exact(out, numbers);
}

} // namespace glt::detail
