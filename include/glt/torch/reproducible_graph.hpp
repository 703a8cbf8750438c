// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/pushed_edges.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/detail/exact_map.hpp>
#include <glt/torch/detail/sharded_aggregation.hpp>
#include <glt/torch/neighbor_attention.hpp>

#include <torch/types.h>

namespace glt {

/// Graph whose training gives the same bits for any number of ranks, any partition and any number of threads. It is a
/// whole graph or a layer of `dist::make_mfgs`.
///
///     glt::reproducible_graph exact{sharded};
///     auto const y = second(first(x, exact).relu(), exact); // gcn_conv, sage_conv, gin_conv, gat_conv, rgcn_conv
///     (loss / num_seeds_of_all_ranks).backward();           // a sum over local seeds
///     glt::sum_grads(comm, network);
///
/// Sums over neighbours and gradients of parameters are added in fixed point (`dist::aggregation::reproducible`).
/// Products with weights are exact products of slices of 20 bits. All other operations of a network must give a row the
/// same result on every rank. This holds for `relu`, for losses of rows, and for a `reproducible` `batch_norm`. It does
/// not hold for `at::dropout` (take `keyed_dropout`), nor for layers of LibTorch, whose gradients are summed over rows
/// in their order. Activations with an exp, such as `sigmoid`, may differ in the last elements of a tensor, which have
/// no vector register.
///
/// Concurrent calls: none, as for the graph, which must outlive it.
///
/// @cost   sums about twice, attention twice forward and 1.3 to 1.6 times backward, products with weights 3 to 13 times
///         the cost with floats (the wider, the more); 8 bytes an element travel backward
template <communicator Comm, host_policy Policy>
struct reproducible_graph {
  dist::sharded_graph<Comm, Policy>& graph;
  dist::pushed_edges<Policy> const* pushed = nullptr; ///< for attention, as in a `pushing_graph`; the same bits

  /// Aggregates as over the sharded graph, reproducibly.
  ///
  /// @throws precondition_error  also if a gradient of a maximum or minimum is asked for: it goes to the first of equal
  ///         sources, an order that depends on the partition
  [[nodiscard]] friend at::Tensor aggregate_neighbors(at::Tensor const& x, reproducible_graph const& over,
                                                      dist::aggregator how) {
    if (detail::is_extreme(how) && at::GradMode::is_enabled() && x.requires_grad()) {
      throw precondition_error(
          "gradient of a maximum or minimum over a reproducible_graph; equal sources have no order "
          "that holds for every partition, take a sum or a mean, or the graph itself");
    }
    return detail::aggregate_over_ranks(x, over.graph, how, /*reproducible=*/true);
  }

  /// Attends as over the sharded graph, reproducibly.
  [[nodiscard]] friend at::Tensor attend_neighbors(at::Tensor const& values, at::Tensor const& keys,
                                                   at::Tensor const& queries, reproducible_graph const& over,
                                                   neighbor_attention const& how = {}) {
    return detail::attend_over_ranks(values, keys, queries, over.graph, how, over.pushed, /*reproducible=*/true);
  }

  [[nodiscard]] friend at::Tensor source_degrees(reproducible_graph const& over) { return source_degrees(over.graph); }
  [[nodiscard]] friend bool favours_narrow_rows(reproducible_graph const& over) {
    return favours_narrow_rows(over.graph);
  }

  /// Returns x weightᵀ + bias, where weight or bias may be undefined. The bits of a row do not depend on the other
  /// rows.
  ///
  /// Differentiable, once. Gradients of weight and bias are whole on rank 0 and zeros on the others.
  ///
  /// @shape  x [n, in], float or double · weight [out, in] · bias [out] → [n, out]
  /// @comm   backward: a header exchange and two reductions, if weight or bias is trained
  /// @throws collective_error  backward, on every rank, if rows or gradients are not finite, or parameters differ in
  ///                           size
  /// @cost   forward and backward three products of doubles where floats take one
  /// @source Ozaki et al., Numerical Algorithms 59, 2012, for products of slices
  [[nodiscard]] friend at::Tensor map_rows(at::Tensor const& x, at::Tensor const& weight, at::Tensor const& bias,
                                           reproducible_graph const& over) {
    auto const or_empty = [&](at::Tensor const& tensor) { // undefined ones cannot be arguments of functions
      return tensor.defined() ? tensor : at::empty({0}, x.options().requires_grad(false));
    };
    return detail::exact_map<Comm, Policy>::apply(x, or_empty(weight), or_empty(bias), &over.graph);
  }
};

template <communicator Comm, host_policy Policy>
reproducible_graph(dist::sharded_graph<Comm, Policy>&,
                   std::type_identity_t<dist::pushed_edges<Policy>> const* = nullptr)
    -> reproducible_graph<Comm, Policy>;

} // namespace glt
