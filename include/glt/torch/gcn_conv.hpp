// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/graph_layer.hpp>
#include <glt/torch/message_graph.hpp>

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Widths of a `gcn_conv`.
struct gcn_conv_options {
  std::int64_t in = 0;        ///< columns of the input
  std::int64_t out = 0;       ///< columns of the output
  bool add_self_loops = true; ///< one more edge from every vertex to itself, beside the edges of the graph
};

/// Graph convolution: y_v = W Σ over in-edges (u, v) of x_u / √(d_u d_v) + b, where d is the in-degree, with
/// self-loops. On a symmetric graph this is D^−½ A D^−½ x W + b. A source without in-edges, not even a self-loop,
/// counts 0.
///
/// Rows are scaled before and after the aggregation, so that edges need no weights.
///
/// @source Kipf and Welling, "Semi-supervised classification with graph convolutional networks", ICLR 2017, eq. 2
class gcn_conv_impl : public ::torch::nn::Module {
public:
  using options_type = gcn_conv_options;

  /// @throws precondition_error  if a width is below 1
  explicit gcn_conv_impl(gcn_conv_options options) : options_(options) {
    check_widths("gcn_conv", options.in, options.out);
    linear_ =
        register_module("linear", ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, options.out).bias(false)));
    bias_ = register_parameter("bias", at::zeros({options.out}));
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// Over sampled edges, the result is an unbiased estimate of the result over all edges. It is equal if all edges were
  /// taken.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, out] · degrees [num_sources], in-degrees in the whole graph,
  ///         without added self-loops; not needed for a sharded graph
  /// @throws precondition_error  if x is not of that shape, or neither argument nor graph has degrees
  template <message_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, at::Tensor const& degrees = {}) {
    check_input("gcn_conv", x, options_.in);
    auto known = degrees.defined() ? degrees : source_degrees(graph);
    if (!known.defined()) {
      throw precondition_error("gcn_conv over a graph that does not know the in-degrees of its sources; pass them");
    }
    check_degrees(known, x);
    known = known.to(x.scalar_type());
    auto const scale = scales(known);
    bool const first = maps_first(x, graph, options_.in, options_.out);
    auto const rows = (first ? map_rows_over(graph, x, linear_->weight) : x) * scale;
    auto const [neighbors, own] = gather_neighborhoods(rows, graph, dist::aggregator::sum, known);
    auto const sum = options_.add_self_loops ? neighbors + own : neighbors;
    auto const y = sum * scale.narrow(0, 0, sum.size(0));
    return map_rows_over(graph, y, first ? at::Tensor() : linear_->weight, bias_);
  }

private:
  // Returns d^−½ of every source, as a column.
  [[nodiscard]] at::Tensor scales(at::Tensor const& degrees) const {
    if (options_.add_self_loops) {
      return (degrees + 1).rsqrt().unsqueeze(1);
    }
    return at::where(degrees > 0, degrees.rsqrt(), at::zeros_like(degrees)).unsqueeze(1);
  }

  gcn_conv_options options_;
  ::torch::nn::Linear linear_{nullptr};
  at::Tensor bias_;
};

} // namespace detail

/// Shared handle of a `gcn_conv_impl`, like the modules of LibTorch:
///
///     glt::gcn_conv layer({.in = 256, .out = 64});
///     auto const y = layer(x, sharded);           // or layer(x, block, degrees)
///
/// Options: `in` and `out`, columns of the input and of the output; `add_self_loops`, true by default.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class gcn_conv : public detail::graph_layer<detail::gcn_conv_impl> {
public:
  using graph_layer::graph_layer;
};

} // namespace glt
