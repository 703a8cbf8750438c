// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/full_batch/aggregate_messages.hpp>
#include <glt/dist/full_batch/detail/message_kernels.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/detail/first_order.hpp>
#include <glt/torch/detail/sharded_aggregation.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

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

} // namespace glt::detail
