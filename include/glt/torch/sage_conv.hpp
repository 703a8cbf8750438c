// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/graph_layer.hpp>
#include <glt/torch/message_graph.hpp>

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Widths of a `sage_conv`, and its aggregator.
struct sage_conv_options {
  std::int64_t in = 0;  ///< columns of the input
  std::int64_t out = 0; ///< columns of the output
  dist::aggregator how = dist::aggregator::mean;
};

/// GraphSAGE layer: y_v = W_self x_v + W_neighbor · aggregate over in-edges (u, v) of x_u + b.
///
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 1
class sage_conv_impl : public ::torch::nn::Module {
public:
  using options_type = sage_conv_options;

  /// @throws precondition_error  if a width is below 1
  explicit sage_conv_impl(sage_conv_options options) : options_(options) {
    check_widths("sage_conv", options.in, options.out);
    self_ = register_module("self", ::torch::nn::Linear(options.in, options.out));
    neighbor_ = register_module("neighbor",
                                ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, options.out).bias(false)));
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, out] · degrees [num_sources], of the whole graph, or undefined:
  ///         with them a sum over sampled edges estimates the sum over all edges
  /// @throws precondition_error  if x is not of that shape
  template <message_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, at::Tensor const& degrees = {}) {
    check_input("sage_conv", x, options_.in);
    bool const first = !is_extreme(options_.how) && maps_first(x, graph, options_.in, options_.out);
    auto const [gathered, rows] =
        gather_neighborhoods(first ? map_rows_over(graph, x, neighbor_->weight) : x, graph, options_.how, degrees);
    auto const own = first ? rows_of_destinations(x, gathered.size(0)) : rows;
    return add_mapped_rows(graph, map_rows_over(graph, own, self_->weight, self_->bias), gathered,
                           first ? at::Tensor() : neighbor_->weight);
  }

private:
  sage_conv_options options_;
  ::torch::nn::Linear self_{nullptr};
  ::torch::nn::Linear neighbor_{nullptr};
};

} // namespace detail

/// Shared handle of a `sage_conv_impl`, like the modules of LibTorch:
///
///     glt::sage_conv layer({.in = 256, .out = 64});
///     auto const y = layer(x, block); // or a sharded graph
///
/// Options: `in` and `out`, columns of the input and of the output; `how`, the aggregator, `mean` by default.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class sage_conv : public detail::graph_layer<detail::sage_conv_impl> {
public:
  using graph_layer::graph_layer;
};

} // namespace glt
