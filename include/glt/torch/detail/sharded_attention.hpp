// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/full_batch/detail/attention.hpp>
#include <glt/dist/full_batch/detail/attention_backward.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/pushed_edges.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/attention_function.hpp>
#include <glt/torch/detail/self_attention.hpp>
#include <glt/torch/detail/sharded_aggregation.hpp>

#include <torch/types.h>

namespace glt::detail {

/// Attention over all ranks; keeps nothing of other ranks.
template <communicator Comm, device_policy Policy>
class sharded_attention final : public attention_edges {
  static constexpr memory_space space = Policy::space;

public:
  using graph_type = dist::sharded_graph<Comm, Policy>;
  using options_type = attention_options<space>;

  /// Options borrow `ids`; `pushed` may be null.
  sharded_attention(graph_type& graph, at::Tensor ids, options_type options, dist::pushed_edges<Policy> const* pushed,
                    self_loops loops)
      : graph_(&graph), ids_(std::move(ids)), options_(options), pushed_(pushed), loops_(std::move(loops)) {}

  void attend(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax) override {
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      detail::attend(*graph_, views<scalar_t const>(rows), matrix_over<space, scalar_t>(output),
                     matrix_over<space, scalar_t>(softmax), options_);
      loops_.reopen(output, softmax);
      loops_.attend<scalar_t>(graph_->policy(), rows, output, softmax);
    });
  }

  void attend_backward(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax,
                       at::Tensor const& gradient, attention_tensors const& out) override {
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      detail::attend_backward(*graph_, views<scalar_t const>(rows),
                              {matrix_over<space, scalar_t const>(output), matrix_over<space, scalar_t const>(softmax)},
                              matrix_over<space, scalar_t const>(gradient), views<scalar_t>(out), options_, pushed_);
      loops_.add_gradients<scalar_t>(graph_->policy(), rows, output, softmax, gradient, out);
    });
  }

private:
  template <class T>
  [[nodiscard]] static attention_rows<space, T> views(attention_tensors const& rows) {
    return {matrix_over<space, T>(rows.values), matrix_over<space, T>(rows.keys), matrix_over<space, T>(rows.queries)};
  }

  graph_type* graph_;
  at::Tensor ids_;
  options_type options_;
  dist::pushed_edges<Policy> const* pushed_;
  self_loops loops_;
};

} // namespace glt::detail
