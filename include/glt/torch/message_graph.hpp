// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/row_product.hpp>

#include <torch/types.h>

namespace glt {

/// Graph for layers: rows of sources go along edges to destinations, which are the first of the sources.
///
/// Models: `block_view`, `dist::sharded_graph`. Another type provides the functions in its namespace.
///
/// - `aggregate_neighbors(x, graph, how)`: x [num_sources, F] → [num_destinations, F], differentiable in x
/// - `source_degrees(graph)`: in-degrees in the whole graph [num_sources], or an undefined tensor
/// - `favours_narrow_rows(graph)`: whether layers map rows before an aggregation if that makes them narrower; the same
///   on all ranks
/// - `map_rows(x, weight, bias, graph)`: x weightᵀ + bias; optional, for graphs that compute it in another way
template <class Graph>
concept message_graph = requires(Graph& graph, at::Tensor const& x, dist::aggregator how) {
  { aggregate_neighbors(x, graph, how) } -> std::same_as<at::Tensor>;
  { source_degrees(graph) } -> std::same_as<at::Tensor>;
  { favours_narrow_rows(graph) } -> std::same_as<bool>;
};

namespace detail {

/// Returns x weightᵀ + bias, where weight or bias may be undefined: the rows of a layer over a graph.
///
/// @shape  x [n, in] · weight [out, in] · bias [out] → [n, out]
template <class Graph>
[[nodiscard]] at::Tensor map_rows_over(Graph& graph, at::Tensor const& x, at::Tensor const& weight,
                                       at::Tensor const& bias = {}) {
  if constexpr (requires { map_rows(x, weight, bias, graph); }) {
    return map_rows(x, weight, bias, graph);
  } else if (weight.defined() && x.is_cpu()) {
    return row_product::apply(bias.defined() ? bias : at::empty({0}, x.options().requires_grad(false)), x, weight);
  } else if (weight.defined()) {
    return at::linear(x, weight, bias);
  } else {
    return x + bias;
  }
}

/// Adds x weightᵀ to y, or x itself if weight is undefined, and returns the sum. Takes y over: it is a product that
/// nothing else reads.
///
/// @shape  y [n, out] · x [n, in] · weight [out, in]
template <class Graph>
[[nodiscard]] at::Tensor add_mapped_rows(Graph& graph, at::Tensor y, at::Tensor const& x, at::Tensor const& weight) {
  if (!weight.defined()) {
    return y.add_(x);
  }
  if constexpr (requires { map_rows(x, weight, weight, graph); }) {
    return y + map_rows_over(graph, x, weight);
  } else {
    return x.is_cpu() ? row_product::apply(y, x, weight) : y.addmm_(x, weight.t());
  }
}

} // namespace detail

} // namespace glt
