// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/wide_registers.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/shard.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/attention_function.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/neighbor_attention.hpp>

#include <torch/types.h>

namespace glt::detail {

/// Edges of destinations to themselves, which a softmax takes in after all others. Destinations are the first of the
/// sources. The bits of a row do not depend on the other rows.
struct self_loops {
  neighbor_attention how; // without `add_self_loops` there are none
  at::Tensor ids;         // of the edges [D], −1 − vertex, which no other edge has; only for dropout

  /// Turns averages of other edges, and their softmax, into sums again, which `attend` takes.
  void reopen(at::Tensor const& output, at::Tensor const& softmax) const {
    if (how.add_self_loops) {
      auto const sums = softmax.narrow(1, how.heads, how.heads).reciprocal_();
      output.view({output.size(0), how.heads, output.size(1) / how.heads}).mul_(sums.unsqueeze(2));
    }
  }

  /// Adds them to the sums of other edges, and makes averages and the softmax of all.
  template <class T, device_policy Policy>
  void attend(Policy const& policy, attention_tensors const& rows, at::Tensor const& output,
              at::Tensor const& softmax) const {
    if (!how.add_self_loops) {
      return;
    }
    softmax_rows<T> const parts(softmax.data_ptr<T>(), how.heads);
    visit<T, Policy>(rows, [&](auto shard, auto pieces, auto columns, auto score, auto dropout) {
      policy.executor().for_each(
          pieces.count(shard.num_rows),
          wide_kernel{attend_rows<Policy::space, T, decltype(score), decltype(dropout)>{
              shard, sources<T>(rows), strided_over<T const>(rows.queries), strided_over<T>(output), parts.maxima,
              parts.shares, pieces, columns, score, dropout}});
      policy.executor().for_each(shard.num_rows * how.heads,
                                 finish_attention<T>{strided_over<T>(output), parts.shares, how.heads, columns.values});
    });
  }

  /// Adds the gradients by them, made of the output and the softmax with all edges.
  template <class T, device_policy Policy>
  void add_gradients(Policy const& policy, attention_tensors const& rows, at::Tensor const& output,
                     at::Tensor const& softmax, at::Tensor const& gradient, attention_tensors const& out) const {
    if (!how.add_self_loops) {
      return;
    }
    auto const deltas = at::empty_like(rows.queries);
    softmax_rows<T const> const parts(softmax.data_ptr<T>(), how.heads);
    attention_destinations<T> const to{strided_over<T const>(gradient), strided_over<T const>(rows.queries),
                                       parts.maxima, strided_over<T const>(deltas), how.heads};
    attention_sums<T> const by{strided_over<T>(out.values), strided_over<T>(out.keys), strided_over<T>(out.queries)};
    visit<T, Policy>(rows, [&](auto shard, auto pieces, auto columns, auto score, auto dropout) {
      using score_type = decltype(score);
      using dropout_type = decltype(dropout);
      auto const ex = policy.executor();
      ex.for_each(shard.num_rows * how.heads, write_deltas<T>{to.gradients, strided_over<T const>(output),
                                                              strided_over<T>(deltas), how.heads, columns.values});
      ex.for_each(pieces.count(shard.num_rows),
                  wide_kernel{add_source_gradients<Policy::space, T, score_type, dropout_type>{
                      shard, sources<T>(rows), to, by, pieces, columns, score, dropout}});
      ex.for_each(pieces.count(shard.num_rows),
                  add_query_gradients<Policy::space, T, score_type, dropout_type>{
                      shard, sources<T>(rows), to, by.queries, pieces, columns, score, dropout});
    });
  }

private:
  template <class T>
  [[nodiscard]] static attention_sources<T> sources(attention_tensors const& rows) {
    return {strided_over<T const>(rows.values), strided_over<T const>(rows.keys)};
  }

  // Calls use(shard, pieces, columns, score, dropout) with the edges as a shard.
  template <class T, device_policy Policy, class Use>
  void visit(attention_tensors const& rows, Use use) const {
    auto const count = rows.queries.size(0);
    auto const numbers = at::arange(count + 1, rows.queries.options().dtype(at::kLong));
    auto const places = numbers.to(at::kInt);
    array_view<Policy::space, local_id const> const own(places.data_ptr<local_id>(), count);
    shard_view<Policy::space> const shard{.num_rows = count,
                                          .num_columns = count,
                                          .num_edges = count,
                                          .rows = own,
                                          .offsets = {numbers.data_ptr<edge_offset>(), count + 1},
                                          .columns = own,
                                          .edges = own};
    attention_options<Policy::space> options{
        .heads = how.heads, .slope = how.slope, .dropout = how.dropout, .dropout_key = how.draws.key};
    if (ids.defined()) {
      options.edge_ids = {ids.data_ptr<edge_id>(), count};
    }
    attention_shape const shape{how.heads, rows.values.size(1), rows.keys.size(1), options.score};
    visit_attention<T>(options, shape, [&](auto score, auto dropout) {
      use(shard, sliced_rows::of<Policy>(how.heads), shape.of_head(), score, dropout);
    });
  }
};

} // namespace glt::detail
