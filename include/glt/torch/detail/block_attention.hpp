// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/wide_registers.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/attention_function.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/detail/self_attention.hpp>

#include <torch/types.h>

namespace glt::detail {

/// Attention over the edges of a block; coefficients are computed again in a backward pass. Bits do not depend on the
/// number of threads.
class block_attention final : public attention_edges {
public:
  using options_type = attention_options<memory_space::host>;

  /// Options borrow `ids`.
  block_attention(at::Tensor offsets, at::Tensor row, at::Tensor ids, options_type options, self_loops loops)
      : offsets_(std::move(offsets)), row_(std::move(row)), ids_(std::move(ids)), options_(options),
        loops_(std::move(loops)) {}

  void attend(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax) override {
    output.zero_();
    softmax.narrow(1, 0, options_.heads).fill_(-std::numeric_limits<double>::infinity());
    softmax.narrow(1, options_.heads, options_.heads).zero_();
    block_edges const edges(offsets_, row_, rows.values.size(0));
    torch_cpu const policy;
    auto const pieces = sliced_rows::of<torch_cpu>(options_.heads);
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      softmax_rows<scalar_t> const parts(softmax.data_ptr<scalar_t>(), options_.heads);
      visit_attention<scalar_t>(options_, shape(rows), [&]<class Score, class Dropout>(Score score, Dropout dropout) {
        policy.executor().for_each(pieces.count(edges.num_destinations()),
                                   wide_kernel{attend_rows<memory_space::host, scalar_t, Score, Dropout>{
                                       edges.shard(), sources<scalar_t>(rows),
                                       strided_over<scalar_t const>(rows.queries), strided_over<scalar_t>(output),
                                       parts.maxima, parts.shares, pieces, shape(rows).of_head(), score, dropout}});
      });
      if (!loops_.how.add_self_loops) { // else after them
        policy.executor().for_each(edges.num_destinations() * options_.heads,
                                   finish_attention<scalar_t>{strided_over<scalar_t>(output), parts.shares,
                                                              options_.heads, shape(rows).of_head().values});
      }
      loops_.attend<scalar_t>(policy, rows, output, softmax);
    });
  }

  void attend_backward(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax,
                       at::Tensor const& gradient, attention_tensors const& out) override {
    out.values.zero_();
    out.keys.zero_();
    out.queries.zero_();
    auto const heads = options_.heads;
    block_edges const edges(offsets_, row_, rows.values.size(0));
    auto const places = at::empty({edges.num_edges()}, at::kInt);
    auto const by_source = edges.transposed(places.data_ptr<local_id>());
    auto const deltas = at::empty_like(rows.queries);
    auto const edge_gradients = at::empty({edges.num_edges(), heads}, output.options());
    torch_cpu const policy;
    auto const ex = policy.executor();
    auto const pieces = sliced_rows::of<torch_cpu>(heads);
    auto const columns = shape(rows).of_head();
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      using T = scalar_t;
      softmax_rows<T const> const parts(softmax.data_ptr<T>(), heads);
      attention_destinations<T> const to{strided_over<T const>(gradient), strided_over<T const>(rows.queries),
                                         parts.maxima, strided_over<T const>(deltas), heads};
      attention_sums<T> const by{strided_over<T>(out.values), strided_over<T>(out.keys), strided_over<T>(out.queries)};
      auto* const of_edges = edge_gradients.data_ptr<T>();
      ex.for_each(edges.num_destinations() * heads, write_deltas<T>{to.gradients, strided_over<T const>(output),
                                                                    strided_over<T>(deltas), heads, columns.values});
      visit_attention<T>(options_, shape(rows), [&]<class Score, class Dropout>(Score score, Dropout dropout) {
        ex.for_each(pieces.count(edges.num_sources()),
                    wide_kernel{add_source_gradients<memory_space::host, T, Score, Dropout>{
                        by_source.shard(), sources<T>(rows), to, by, pieces, columns, score, dropout, {}, of_edges}});
        ex.for_each(edges.num_destinations(), [&, shard = edges.shard(), keys = strided_over<T const>(rows.keys),
                                               place = places.data_ptr<local_id>()](std::int64_t d) {
          for (auto e = shard.offsets[d]; e < shard.offsets[d + 1]; ++e) {
            for (std::int64_t head = 0; head < heads; ++head) {
              score.add_gradient(of_edges[place[e] * heads + head], keys.row(shard.columns[e]) + head * columns.keys,
                                 by.queries.row(d) + head * columns.keys);
            }
          }
        });
      });
      loops_.add_gradients<T>(policy, rows, output, softmax, gradient, out);
    });
  }

private:
  [[nodiscard]] attention_shape shape(attention_tensors const& rows) const {
    return {options_.heads, rows.values.size(1), rows.keys.size(1), options_.score};
  }
  template <class T>
  [[nodiscard]] static attention_sources<T> sources(attention_tensors const& rows) {
    return {strided_over<T const>(rows.values), strided_over<T const>(rows.keys)};
  }

  at::Tensor offsets_;
  at::Tensor row_;
  at::Tensor ids_;
  options_type options_;
  self_loops loops_;
};

} // namespace glt::detail
