// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/aggregate.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/first_order.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Returns the elements of a contiguous tensor [n, F] in memory of a space; an undefined tensor has none.
template <memory_space Space, class T>
[[nodiscard]] matrix_view<Space, T> matrix_over(at::Tensor const& tensor) {
  if (!tensor.defined()) {
    return {};
  }
  return {tensor.data_ptr<std::remove_const_t<T>>(), tensor.size(0), tensor.size(1)};
}

/// Aggregation over all ranks; keeps only the chosen edges of a maximum or minimum.
template <communicator Comm, device_policy Policy>
struct sharded_aggregation : ::torch::autograd::Function<sharded_aggregation<Comm, Policy>> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;
  using graph_type = dist::sharded_graph<Comm, Policy>;
  static constexpr memory_space space = Policy::space;

  static at::Tensor forward(context* ctx, at::Tensor const& x, graph_type* graph, dist::aggregator how,
                            bool reproducible) {
    ctx->saved_data["graph"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(graph));
    ctx->saved_data["how"] = static_cast<std::int64_t>(how);
    ctx->saved_data["reproducible"] = reproducible;
    auto const rows = x.contiguous();
    auto const out = at::empty({graph->num_destinations(), x.size(1)}, x.options());
    auto const chosen = is_extreme(how) ? at::empty(out.sizes(), x.options().dtype(at::kInt)) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "aggregate_neighbors", [&] {
      dist::aggregate(*graph, matrix_over<space, scalar_t const>(rows), matrix_over<space, scalar_t>(out),
                      {.how = how, .reproducible = reproducible}, matrix_over<space, local_id>(chosen));
    });
    ctx->save_for_backward({chosen});
    return out;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("aggregate_neighbors");
    auto& graph = *reinterpret_cast<graph_type*>(static_cast<std::intptr_t>(ctx->saved_data["graph"].toInt()));
    auto const how = static_cast<dist::aggregator>(ctx->saved_data["how"].toInt());
    bool const reproducible = ctx->saved_data["reproducible"].toBool();
    auto const chosen = ctx->get_saved_variables()[0];
    auto const gradient = gradients[0].contiguous();
    auto const out = at::empty({graph.num_sources(), gradient.size(1)}, gradient.options());
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "aggregate_neighbors", [&] {
      aggregate_backward(graph, matrix_over<space, scalar_t const>(gradient), matrix_over<space, scalar_t>(out),
                         {.how = how, .reproducible = reproducible}, matrix_over<space, local_id const>(chosen));
    });
    return {out, {}, {}, {}};
  }
};

} // namespace glt::detail
