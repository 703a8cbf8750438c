// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregate_messages.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/message_graph.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Message relu(x_u + e_uv).
template <memory_space Space, class T>
struct edge_relu {
  matrix_view<Space, T const> edges;
  matrix_view<Space, T> edge_gradients; // of a backward pass

  GLT_HOST_DEVICE void message(T const* x, T const*, std::int64_t e, T* sum) const {
    for (std::int64_t c = 0; c < edges.columns(); ++c) {
      T const value = x[c] + edges(e, c);
      sum[c] += value > 0 ? value : T(0);
    }
  }
  GLT_HOST_DEVICE void source_vjp(T const* x, T const*, std::int64_t e, T const* gradient, T* out) const {
    for (std::int64_t c = 0; c < edges.columns(); ++c) {
      T const value = x[c] + edges(e, c) > 0 ? gradient[c] : T(0);
      out[c] += value;
      edge_gradients(e, c) = value;
    }
  }
};

/// Sum of the messages over all ranks; keeps x and the features of local edges, nothing remote.
template <communicator Comm, device_policy Policy>
struct sharded_edge_relu : ::torch::autograd::Function<sharded_edge_relu<Comm, Policy>> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;
  using graph_type = dist::sharded_graph<Comm, Policy>;
  static constexpr memory_space space = Policy::space;

  static at::Tensor forward(context* ctx, at::Tensor const& x, at::Tensor const& edges, graph_type* graph) {
    ctx->saved_data["graph"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(graph));
    auto const rows = x.contiguous();
    auto const features = edges.contiguous();
    auto const out = at::empty({graph->num_destinations(), x.size(1)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sum_edge_relu", [&] {
      edge_relu<space, scalar_t> const message{matrix_over<space, scalar_t const>(features), {}};
      dist::aggregate_messages(*graph, message, matrix_over<space, scalar_t const>(rows), {},
                               matrix_over<space, scalar_t>(out));
    });
    ctx->save_for_backward({rows, features});
    return out;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("sum_edge_relu");
    auto& graph = *reinterpret_cast<graph_type*>(static_cast<std::intptr_t>(ctx->saved_data["graph"].toInt()));
    auto const saved = ctx->get_saved_variables();
    auto const gradient = gradients[0].contiguous();
    auto const by_x = at::empty(saved[0].sizes(), saved[0].options());
    auto const by_edges = at::empty(saved[1].sizes(), saved[1].options());
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "sum_edge_relu", [&] {
      edge_relu<space, scalar_t> const message{matrix_over<space, scalar_t const>(saved[1]),
                                               matrix_over<space, scalar_t>(by_edges)};
      aggregate_messages_backward(graph, message, matrix_over<space, scalar_t const>(saved[0]), {},
                                  matrix_over<space, scalar_t const>(gradient), matrix_over<space, scalar_t>(by_x));
    });
    return {by_x, by_edges, {}};
  }
};

/// Sum of the messages over a block; keeps x, the features of edges, and the block's edges. Bits do not depend on the
/// number of threads.
struct block_edge_relu : ::torch::autograd::Function<block_edge_relu> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;
  static constexpr auto space = memory_space::host;

  static at::Tensor forward(context* ctx, at::Tensor const& x, at::Tensor const& features, at::Tensor const& offsets,
                            at::Tensor const& row) {
    tensors const saved{x.contiguous(), features.contiguous(), offsets, row};
    block_edges const edges(offsets, row, x.size(0));
    auto const out = at::zeros({edges.num_destinations(), x.size(1)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sum_edge_relu", [&] {
      using message = edge_relu<space, scalar_t>;
      torch_threads{}.for_each(edges.num_destinations(), add_messages<space, scalar_t, message>{
                                                             edges.shard(),
                                                             message{matrix_over<space, scalar_t const>(saved[1]), {}},
                                                             strided_over<scalar_t const>(saved[0]),
                                                             {},
                                                             strided_over<scalar_t>(out)});
    });
    ctx->save_for_backward(saved);
    return out;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("sum_edge_relu");
    auto const saved = ctx->get_saved_variables();
    auto const gradient = gradients[0].contiguous();
    auto const by_x = at::zeros_like(saved[0]);
    auto const by_edges = at::empty_like(saved[1]);
    auto const by_source = block_edges(saved[2], saved[3], by_x.size(0)).transposed();
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "sum_edge_relu", [&] {
      using message = edge_relu<space, scalar_t>;
      torch_threads{}.for_each(
          by_x.size(0), add_source_vjps<space, scalar_t, message>{by_source.shard(),
                                                                  message{matrix_over<space, scalar_t const>(saved[1]),
                                                                          matrix_over<space, scalar_t>(by_edges)},
                                                                  strided_over<scalar_t const>(saved[0]),
                                                                  {},
                                                                  strided_over<scalar_t const>(gradient),
                                                                  strided_over<scalar_t>(by_x)});
    });
    return {by_x, by_edges, {}, {}};
  }
};

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
/// Options: `in`, `edge` and `out`, columns of the input, of the features of edges and of the output; the first
/// `epsilon`, 0 by default; `learn_epsilon`, false.
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
