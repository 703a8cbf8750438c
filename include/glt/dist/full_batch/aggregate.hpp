// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/aggregate_pass.hpp>
#include <glt/dist/full_batch/detail/combine_rows.hpp>
#include <glt/dist/full_batch/detail/cover/covered_pass.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/detail/out_degrees.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Computes the largest degrees of a graph if a pass needs them and they are not known.
///
/// @comm   collective; none, or, at the first such pass, as `make_out_degrees`
template <communicator Comm, device_policy Policy, class T>
void prepare_exact_pass(dist::sharded_graph<Comm, Policy>& graph, dist::aggregation<Policy::space, T> const& options) {
  if (options.reproducible && !is_extreme(options.how) && !graph.known_degrees()) {
    make_out_degrees(graph);
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
      [&](shard_view<space> shard, T const* rows) {
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
  pass.push(pass.sums(), [&](shard_view<space> shard, std::int64_t* rows) {
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

namespace glt::dist {

/// Combines the rows of x of the in-neighbours of every local destination.
///
/// Ranks exchange boundary rows, one peer after the other; empty pairs send nothing. A row without in-edges gives 0.
///
/// @shape  x [num_sources(), F] · y [num_destinations(), F], written · chosen as y, written: the edge with the maximum
///         or minimum, −1 without in-edges; needed for `max` and `min` only
/// @where  memory of the graph's policy; returns when y is written or, on GPUs, enqueued
/// @comm   collective, every rank with the same F and options.how; one header exchange and at most R − 1 messages a
///         rank: num_sent() · F · sizeof(T) bytes; with a cover (see `sharding_options`) fewer bytes, in twice as many
///         messages if edges have weights, and every rank with the same options.heads
/// @throws collective_error  on every rank, if a view of a rank has another shape, or a rank combines in another way
///                           than rank 0
/// @cost   O(E · F); beside x and y, the rows of 2 · depth + 2 shards
template <communicator Comm, device_policy Policy, std::floating_point T>
void aggregate(sharded_graph<Comm, Policy>& graph, std::type_identity_t<matrix_view<Policy::space, T const>> x,
               matrix_view<Policy::space, T> y, std::type_identity_t<aggregation<Policy::space, T>> options = {},
               std::type_identity_t<matrix_view<Policy::space, local_id>> chosen = {}) {
  constexpr auto space = Policy::space;
  auto const columns = x.columns();
  glt::detail::prepare_exact_pass(graph, options);
  glt::detail::aggregate_pass pass(graph, glt::detail::row_flow::pull, columns);
  pass.begin(options, {{"x", glt::detail::shard_side::source, x}, {"y", glt::detail::shard_side::destination, y}},
             chosen);
  auto const ex = graph.policy().executor();
  T* const out = y.data();
  if (pass.is_exact()) {
    glt::detail::pull_exactly(pass, graph.policy(), x, out, options);
  } else if (pass.is_covered()) {
    if constexpr (host_policy<Policy>) { // only host policies have a cover
      glt::detail::covered_pass<Comm, Policy, T>(graph, columns, options, pass).pull(x.data(), out, chosen.data());
    }
  } else {
    bool is_fresh = true; // the local shard is the first
    pass.pull(
        x.data(), [] {},
        [&](detail::shard_view<space> shard, T const* rows) {
          glt::detail::combine_rows(graph.policy(), shard, rows, columns, options, out, chosen.data(),
                                    std::exchange(is_fresh, false));
        });
  }
  if (options.how == aggregator::mean) {
    auto const pieces = glt::detail::sliced_rows::of<Policy>(columns);
    ex.for_each(pieces.count(y.rows()), glt::detail::divide_by_degree<space, T>{graph.in_degrees(), out, pieces});
  }
}

} // namespace glt::dist

namespace glt::detail {

/// Computes the gradient of `aggregate` by x from the gradient by y.
///
/// Every rank computes the terms of its edges and sends each owner the sums for its rows: nothing is fetched again.
///
/// @shape  gradient [num_destinations(), F] · out [num_sources(), F], written · chosen as gradient, from `aggregate`
/// @where  as `aggregate`
/// @comm   collective, as `aggregate`: num_boundary() · F · sizeof(T) bytes a rank and R − 1 messages, or fewer bytes
///         with a cover
/// @throws collective_error  as `aggregate`
/// @cost   as `aggregate`
template <communicator Comm, device_policy Policy, std::floating_point T>
void aggregate_backward(dist::sharded_graph<Comm, Policy>& graph,
                        std::type_identity_t<matrix_view<Policy::space, T const>> gradient,
                        matrix_view<Policy::space, T> out,
                        std::type_identity_t<dist::aggregation<Policy::space, T>> options = {},
                        std::type_identity_t<matrix_view<Policy::space, local_id const>> chosen = {}) {
  constexpr auto space = Policy::space;
  auto const columns = gradient.columns();
  prepare_exact_pass(graph, options);
  aggregate_pass pass(graph, row_flow::push, columns);
  pass.begin(options, {{"gradient", shard_side::destination, gradient}, {"out", shard_side::source, out}}, chosen);
  auto const degrees = options.how == dist::aggregator::mean ? graph.in_degrees() : array_view<space, local_id const>();
  if (pass.is_exact()) {
    push_exactly(pass, graph.policy(), gradient, out.data(), options, degrees);
  } else if (pass.is_covered()) {
    if constexpr (host_policy<Policy>) {
      covered_pass<Comm, Policy, T>(graph, columns, options, pass)
          .push(gradient.data(), chosen.data(), degrees, out.data());
    }
  } else {
    pass.push(out.data(), [&](shard_view<space> shard, T* rows) {
      spread_rows(graph.policy(), shard, gradient.data(), chosen.data(), columns, options, degrees, rows, true);
    });
  }
}

/// Computes the gradient of `aggregate` by the edge weights from the gradient by y; x is fetched a second time.
///
/// @shape  x [num_sources(), F] · gradient [num_destinations(), F] · out [E, options.heads], written, by position in
///         the rows · chosen as gradient, from `aggregate`
/// @comm   collective, as `aggregate` without a cover
/// @throws collective_error  as `aggregate`, or if out has another size
template <communicator Comm, device_policy Policy, std::floating_point T>
void aggregate_weights_backward(dist::sharded_graph<Comm, Policy>& graph,
                                std::type_identity_t<matrix_view<Policy::space, T const>> x,
                                std::type_identity_t<matrix_view<Policy::space, T const>> gradient,
                                array_view<Policy::space, T> out,
                                std::type_identity_t<dist::aggregation<Policy::space, T>> options = {},
                                std::type_identity_t<matrix_view<Policy::space, local_id const>> chosen = {}) {
  constexpr auto space = Policy::space;
  auto const columns = x.columns();
  aggregate_pass pass(graph, row_flow::pull, columns);
  pass.avoid_cover();
  options.edge_weights = out;   // of the same size
  options.reproducible = false; // each is computed on one rank, in the order of the columns
  pass.begin(options, {{"x", shard_side::source, x}, {"gradient", shard_side::destination, gradient}}, chosen);
  auto const ex = graph.policy().executor();
  auto const degrees = options.how == dist::aggregator::mean ? graph.in_degrees() : array_view<space, local_id const>();
  pass.pull(
      x.data(), [&] { ex.for_each(out.size(), fill_value<T>{out.data(), T(0)}); },
      [&](shard_view<space> shard, T const* rows) {
        ex.for_each(shard.rows.size(),
                    write_weight_gradients<space, T>{shard, rows, gradient.data(),
                                                     is_extreme(options.how) ? chosen.data() : nullptr, degrees,
                                                     out.data(), columns, options.heads});
      });
}

} // namespace glt::detail
