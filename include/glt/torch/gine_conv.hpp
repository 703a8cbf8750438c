// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/block.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/edge_relu.hpp>
#include <glt/torch/detail/graph_layer.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace glt {

namespace detail {

inline void check_edge_features(at::Tensor const& x, at::Tensor const& edges, std::int64_t num_edges) {
  if (!edges.defined() || edges.dim() != 2 || edges.size(0) != num_edges || edges.size(1) != x.size(1) ||
      edges.scalar_type() != x.scalar_type() || edges.device() != x.device()) {
    throw precondition_error(message("edge features ", to_string(edges), " beside x ", to_string(x), "; pass [",
                                     num_edges, ", ", x.size(1),
                                     "] of the same type and place, one row for each edge"));
  }
}

/// Returns the sum of relu(x_u + e_uv) over the in-edges (u, v) of every destination v of a block.
///
/// Differentiable in x and edges, once. Borrows the block's memory until the backward pass has run.
///
/// @shape  x [num_sources, F], float or double, in host memory · edges [E, F] of that type, in the order of the block →
///         [num_destinations, F]
/// @throws precondition_error  if they are not of these shapes and types
/// @cost   O(E · F), forward and backward; no tensor of E rows is made but the gradient by edges
template <memory_space Space>
[[nodiscard]] at::Tensor sum_edge_relu(at::Tensor const& x, at::Tensor const& edges, block_view<Space> block) {
  if (!is_float_matrix(x, at::kCPU) || x.size(0) != block.num_sources) {
    throw precondition_error(message("sum_edge_relu over ", to_string(x), "; pass a float or double host tensor [",
                                     block.num_sources, ", F]"));
  }
  check_block("sum_edge_relu", block);
  check_edge_features(x, edges, block.row.size());
  return block_edge_relu::apply(x, edges, to_tensor(block.offsets), to_tensor(block.row));
}

/// Returns the same over all in-edges of this rank's destinations. The backward pass fetches the sources again; no
/// remote row is kept. See `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
///
/// @shape  x [num_sources(), F] · edges [num_edges(), F], by position in the local part, or as `edge_ids` of
///         `message_flow_graphs` → [num_destinations(), F]
/// @comm   collective, forward and backward; see `dist::aggregate_messages`
/// @throws precondition_error  on this rank, if they are not of these shapes and types
/// @throws collective_error    on every rank, as `dist::aggregate_messages`
template <communicator Comm, device_policy Policy>
[[nodiscard]] at::Tensor sum_edge_relu(at::Tensor const& x, at::Tensor const& edges,
                                       dist::sharded_graph<Comm, Policy>& graph) {
  if (!is_float_matrix(x, torch_device(graph.policy()))) {
    throw precondition_error(message("sum_edge_relu over ", to_string(x), "; pass a float or double tensor [",
                                     graph.num_sources(), ", F] where the graph is"));
  }
  check_edge_features(x, edges, graph.num_edges());
  return sharded_edge_relu<Comm, Policy>::apply(x, edges, &graph);
}

/// Widths of a `gine_conv`.
struct gine_conv_options {
  std::int64_t in = 0;        ///< columns of the input
  std::int64_t edge = 0;      ///< columns of the features of edges, which are mapped to `in` columns
  std::int64_t out = 0;       ///< columns of the output, and between the two linear maps
  double epsilon = 0;         ///< first value
  bool learn_epsilon = false; ///< trains epsilon; else it stays
};

/// Graph isomorphism layer with features of edges:
/// y_v = W₂ relu(W₁ ((1 + ε) x_v + Σ over in-edges (u, v) of relu(x_u + L e_uv)) + b₁) + b₂.
///
/// An example of user-defined messages; see `dist::edge_message`.
///
/// @source Hu et al., "Strategies for pre-training graph neural networks", ICLR 2020
class gine_conv_impl : public ::torch::nn::Module {
public:
  /// @throws precondition_error  if a width is below 1
  explicit gine_conv_impl(gine_conv_options options) : options_(options) {
    check_widths("gine_conv", options.in, options.out);
    check_widths("gine_conv's edges", options.edge, options.in);
    edges_ = register_module("edges", ::torch::nn::Linear(options.edge, options.in));
    first_ = register_module("first", ::torch::nn::Linear(options.in, options.out));
    second_ = register_module("second", ::torch::nn::Linear(options.out, options.out));
    auto const epsilon = at::full({1}, options.epsilon);
    epsilon_ = options.learn_epsilon ? register_parameter("epsilon", epsilon) : register_buffer("epsilon", epsilon);
  }

  /// @shape  x [num_sources, in] · edges [E, edge], in the order of `sum_edge_relu` → [num_destinations, out]
  /// @throws precondition_error  if x or edges are not of that shape
  template <class Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, at::Tensor const& edges, Graph& graph) {
    check_input("gine_conv", x, options_.in);
    if (!edges.defined() || edges.dim() != 2 || edges.size(1) != options_.edge) {
      throw precondition_error(
          message("gine_conv over edges ", to_string(edges), "; it takes [num_edges, ", options_.edge, "]"));
    }
    auto const sum = sum_edge_relu(x, edges_(edges), graph);
    return second_(first_((1 + epsilon_) * rows_of_destinations(x, sum.size(0)) + sum).relu_());
  }

private:
  gine_conv_options options_;
  ::torch::nn::Linear edges_{nullptr};
  ::torch::nn::Linear first_{nullptr};
  ::torch::nn::Linear second_{nullptr};
  at::Tensor epsilon_;
};

} // namespace detail

/// Shared handle of a `gine_conv_impl`, like the modules of LibTorch:
///
///     glt::gine_conv layer({.in = 64, .edge = 8, .out = 64});
///     auto const y = layer(x, edge_features, block); // or a sharded graph
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class gine_conv : public ::torch::nn::ModuleHolder<detail::gine_conv_impl> {
public:
  using ModuleHolder::ModuleHolder;
  using Impl = detail::gine_conv_impl;
  using options = detail::gine_conv_options;

  explicit gine_conv(options chosen) : ModuleHolder(std::make_shared<Impl>(chosen)) {}

  template <class Graph>
  [[nodiscard]] at::Tensor operator()(at::Tensor const& x, at::Tensor const& edges, Graph&& graph) {
    return (*this)->forward(x, edges, graph);
  }
};

} // namespace glt
