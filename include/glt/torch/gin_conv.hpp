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

/// Widths of a `gin_conv`.
struct gin_conv_options {
  std::int64_t in = 0;        ///< columns of the input
  std::int64_t out = 0;       ///< columns of the output, and between the two linear maps
  double epsilon = 0;         ///< first value
  bool learn_epsilon = false; ///< trains epsilon; else it stays
};

/// Graph isomorphism layer: y_v = W₂ relu(W₁ ((1 + ε) x_v + Σ over in-edges (u, v) of x_u) + b₁) + b₂.
///
/// @source Xu et al., "How powerful are graph neural networks?", ICLR 2019, eq. 4.1
class gin_conv_impl : public ::torch::nn::Module {
public:
  using options_type = gin_conv_options;

  /// @throws precondition_error  if a width is below 1
  explicit gin_conv_impl(gin_conv_options options) : options_(options) {
    check_widths("gin_conv", options.in, options.out);
    first_ =
        register_module("first", ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, options.out).bias(false)));
    bias_ = register_parameter("bias", at::zeros({options.out}));
    second_ = register_module("second", ::torch::nn::Linear(options.out, options.out));
    auto const epsilon = at::full({1}, options.epsilon);
    epsilon_ = options.learn_epsilon ? register_parameter("epsilon", epsilon) : register_buffer("epsilon", epsilon);
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, out] · degrees [num_sources], of the whole graph, or undefined:
  ///         with them the sum over sampled edges estimates the sum over all edges
  /// @throws precondition_error  if x is not of that shape
  template <message_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, at::Tensor const& degrees = {}) {
    check_input("gin_conv", x, options_.in);
    bool const before = maps_first(x, graph, options_.in, options_.out);
    auto const rows = before ? map_rows_over(graph, x, first_->weight) : x;
    auto const [gathered, own] = gather_neighborhoods(rows, graph, dist::aggregator::sum, degrees);
    auto const more = options_.learn_epsilon // trained as a map of single elements
                          ? map_rows_over(graph, own.reshape({-1, 1}), epsilon_.view({1, 1})).view_as(own)
                          : epsilon_ * own;
    auto const hidden = map_rows_over(graph, own + more + gathered, before ? at::Tensor() : first_->weight, bias_);
    return map_rows_over(graph, hidden.relu_(), second_->weight, second_->bias);
  }

private:
  gin_conv_options options_;
  ::torch::nn::Linear first_{nullptr};
  ::torch::nn::Linear second_{nullptr};
  at::Tensor bias_;
  at::Tensor epsilon_;
};

} // namespace detail

/// Shared handle of a `gin_conv_impl`, like the modules of LibTorch:
///
///     glt::gin_conv layer({.in = 256, .out = 64, .learn_epsilon = true});
///     auto const y = layer(x, block); // or a sharded graph
///
/// Options: `in` and `out`, columns of the input and of the output; the first `epsilon`, 0 by default; `learn_epsilon`,
/// false.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class gin_conv : public detail::graph_layer<detail::gin_conv_impl> {
public:
  using graph_layer::graph_layer;
};

} // namespace glt
