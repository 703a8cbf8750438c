// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/detail/graph_layer.hpp>
#include <glt/torch/message_graph.hpp>
#include <glt/torch/neighbor_attention.hpp>

#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Widths of a `gat_conv`, and options of its attention.
struct gat_conv_options {
  std::int64_t in = 0;  ///< columns of the input
  std::int64_t out = 0; ///< columns of each head
  std::int64_t heads = 1;
  bool concatenate = true;    ///< heads side by side, heads · out columns; else their mean
  bool add_self_loops = true; ///< one more edge from every vertex to itself, beside the edges of the graph
  double slope = 0.2;         ///< of the leaky ReLU
  double dropout = 0;         ///< share of coefficients that a layer in training drops
};

/// Graph attention: y_v = Σ over in-edges (u, v) of α_uv W x_u + b for each head. The coefficients α are the softmax
/// over the in-edges of v of leaky_relu(a_source · W x_u + a_destination · W x_v).
///
/// @source Veličković et al., "Graph attention networks", ICLR 2018, eq. 1 to 6
class gat_conv_impl : public ::torch::nn::Module {
public:
  using options_type = gat_conv_options;

  /// @throws precondition_error  if a width or the heads are below 1, or dropout is not in [0, 1)
  explicit gat_conv_impl(gat_conv_options options) : options_(options) {
    check_widths("gat_conv", options.in, options.out);
    if (options.heads < 1 || !(options.dropout >= 0 && options.dropout < 1)) {
      throw precondition_error(message("gat_conv with ", options.heads, " heads and a dropout of ", options.dropout,
                                       "; pass 1 head or more and a share in [0, 1)"));
    }
    auto const all = options.heads * options.out;
    linear_ = register_module("linear", ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, all).bias(false)));
    source_ = register_parameter("source", at::empty({options.heads, options.out}));
    destination_ = register_parameter("destination", at::empty({options.heads, options.out}));
    bias_ = register_parameter("bias", at::zeros({options.concatenate ? all : options.out}));
    for (auto const& weights : {linear_->weight, source_, destination_}) {
      ::torch::nn::init::xavier_uniform_(weights);
    }
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// Over sampled edges, the softmax is over those edges. It equals the softmax over all edges if all were taken.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, heads · out], or out columns for the mean of heads
  /// @throws precondition_error  if x is not of that shape, or ids are missing that dropout depends on
  template <attention_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, attention_draws const& draws = {}) {
    check_input("gat_conv", x, options_.in);
    auto const values = map_rows_over(graph, x, linear_->weight);
    auto const of_values = at::cat({by_head(source_), by_head(destination_)});
    // Of x where it is narrower: the input of a first layer needs no gradient.
    auto const scores =
        columns_of_passes(options_.in, x.requires_grad()) < columns_of_passes(options_.heads * options_.out, true)
            ? map_rows_over(graph, x, of_values.mm(linear_->weight))
            : map_rows_over(graph, values, of_values);
    auto const y = attend_neighbors(values, scores.narrow(1, 0, options_.heads),
                                    scores.narrow(1, options_.heads, options_.heads), graph,
                                    {.heads = options_.heads,
                                     .slope = options_.slope,
                                     .add_self_loops = options_.add_self_loops,
                                     .dropout = is_training() ? options_.dropout : 0,
                                     .draws = draws});
    auto const of_heads = y.view({y.size(0), options_.heads, options_.out});
    return map_rows_over(graph, options_.concatenate ? y : of_heads.mean(1), {}, bias_);
  }

private:
  // Returns weights [heads, out] as a map [heads, heads · out] from the columns of each head to one number.
  [[nodiscard]] static at::Tensor by_head(at::Tensor const& weights) {
    return (at::eye(weights.size(0), weights.options().requires_grad(false)).unsqueeze(2) * weights).flatten(1);
  }

  gat_conv_options options_;
  ::torch::nn::Linear linear_{nullptr};
  at::Tensor source_;
  at::Tensor destination_;
  at::Tensor bias_;
};

} // namespace detail

/// Shared handle of a `gat_conv_impl`, like the modules of LibTorch:
///
///     glt::gat_conv layer({.in = 256, .out = 8, .heads = 8, .dropout = 0.6});
///     auto const y = layer(x, block, {.key = key.fold(step).fold(0), .vertex_ids = glt::to_tensor(batch.nodes())});
///
/// Options: `in` and `out`, columns of the input and of each head; `heads`, 1 by default; `concatenate` heads (else
/// their mean) and `add_self_loops`, both true; `slope` of the leaky ReLU, 0.2; `dropout`, the share of coefficients,
/// 0.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class gat_conv : public detail::graph_layer<detail::gat_conv_impl> {
public:
  using graph_layer::graph_layer;

  template <class Graph>
    requires detail::attention_graph<std::remove_reference_t<Graph>>
  [[nodiscard]] at::Tensor operator()(at::Tensor const& x, Graph&& graph, attention_draws const& draws = {}) {
    return (*this)->forward(x, graph, draws);
  }
};

} // namespace glt
