// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/combine_rows.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/detail/first_order.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Adds the gradient to into[row[chosen]], column by column; columns are divided over threads, which have no source in
/// common.
template <class T>
void spread_chosen(local_id const* chosen, local_id const* row, std::int64_t count, T const* gradient,
                   std::int64_t width, T* into) {
  torch_threads{}.for_ranges(width, 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t d = 0; d < count; ++d) {
      for (auto i = d * width + first; i < d * width + last; ++i) {
        if (chosen[i] != no_edge) {
          into[std::int64_t{row[chosen[i]]} * width + i - d * width] += gradient[i];
        }
      }
    }
  });
}

/// Aggregation over a block; keeps its edges for the backward pass and, for a maximum or minimum, the chosen edges.
/// Bits do not depend on the number of threads.
///
/// Also returns the rows of the destinations, so that their gradients join those by the edges in one matrix.
struct block_aggregation : ::torch::autograd::Function<block_aggregation> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;

  /// @shape  x [num_sources, F] → aggregates [num_destinations, F], rows of destinations [num_destinations, F]; the
  ///         latter are empty where there are more destinations than sources
  static tensors forward(context* ctx, at::Tensor const& x, at::Tensor const& offsets, at::Tensor const& row,
                         dist::aggregator how) {
    ctx->set_materialize_grads(false);
    ctx->saved_data["num_sources"] = x.size(0);
    ctx->saved_data["how"] = static_cast<std::int64_t>(how);
    auto const rows = x.contiguous();
    auto const width = x.size(1);
    block_edges const edges(offsets, row, x.size(0));
    auto const out = at::empty({edges.num_destinations(), width}, x.options());
    auto const chosen = is_extreme(how) ? at::empty(out.sizes(), at::kInt) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "aggregate_neighbors", [&] {
      auto* const to = out.template data_ptr<scalar_t>();
      torch_cpu const policy;
      combine_rows<torch_cpu, scalar_t>(policy, edges.shard(), rows.template data_ptr<scalar_t>(), width, {.how = how},
                                        to, is_extreme(how) ? chosen.data_ptr<local_id>() : nullptr, true);
      if (how == dist::aggregator::mean) {
        auto const degrees = edges.degrees();
        row_sums<torch_cpu, scalar_t>(policy, width)
            .divide({degrees.data_ptr<local_id>(), edges.num_destinations()}, to);
      }
    });
    ctx->save_for_backward({offsets, row, chosen});
    return {out, rows.detach().narrow(0, 0, edges.num_destinations() <= x.size(0) ? edges.num_destinations() : 0)};
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("aggregate_neighbors");
    auto const how = static_cast<dist::aggregator>(ctx->saved_data["how"].toInt());
    auto const saved = ctx->get_saved_variables();
    auto const& of_destinations = gradients[1];
    if (!gradients[0].defined() && !of_destinations.defined()) {
      return {{}, {}, {}, {}};
    }
    auto const gradient = (gradients[0].defined() ? gradients[0] : at::zeros_like(of_destinations)).contiguous();
    auto const width = gradient.size(1);
    auto const num_sources = ctx->saved_data["num_sources"].toInt();
    auto const into = is_extreme(how) ? at::zeros({num_sources, width}, gradient.options())
                                      : at::empty({num_sources, width}, gradient.options());
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "aggregate_neighbors", [&] {
      auto const* const from = gradient.template data_ptr<scalar_t>();
      auto* const to = into.template data_ptr<scalar_t>();
      if (is_extreme(how)) {
        spread_chosen(saved[2].data_ptr<local_id>(), saved[1].data_ptr<local_id>(), gradient.size(0), from, width, to);
      } else {
        block_edges const edges(saved[0], saved[1], num_sources);
        auto const by_source = edges.transposed();
        auto const degrees = how == dist::aggregator::mean ? edges.degrees() : at::empty({0}, at::kInt);
        row_sums<torch_cpu, scalar_t>(torch_cpu(), width)
            .add(by_source.shard(), from, to, true, {degrees.data_ptr<local_id>(), degrees.numel()});
      }
    });
    if (of_destinations.defined()) {
      into.narrow(0, 0, of_destinations.size(0)).add_(of_destinations);
    }
    return {into, {}, {}, {}};
  }
};

} // namespace glt::detail
