// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/attention_options.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/attention_function.hpp>
#include <glt/torch/detail/block_aggregation.hpp>
#include <glt/torch/detail/self_attention.hpp>

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace glt::detail {

/// Attention over the edges of a block; coefficients are computed again in a backward pass.
class block_attention final : public attention_edges {
public:
  using options_type = dist::attention_options<memory_space::host>;

  /// Options borrow `ids`.
  block_attention(at::Tensor offsets, at::Tensor row, at::Tensor ids, options_type options, self_loops loops)
      : offsets_(std::move(offsets)), row_(std::move(row)), ids_(std::move(ids)), options_(options),
        loops_(std::move(loops)) {}

  void attend(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax) override {
    output.zero_();
    softmax.narrow(1, 0, options_.heads).fill_(-std::numeric_limits<double>::infinity());
    softmax.narrow(1, options_.heads, options_.heads).zero_();
    segments const edges(offsets_, row_);
    auto const offsets = offsets_ - edges.offsets[0];
    auto const numbers = at::arange(std::max(edges.count, row_.numel()), at::kInt);
    auto const* const number = numbers.data_ptr<local_id>();
    dist::shard_view<memory_space::host> const shard{.num_rows = edges.count,
                                                     .num_columns = rows.values.size(0),
                                                     .num_edges = row_.numel(),
                                                     .rows = {number, edges.count},
                                                     .offsets = {offsets.data_ptr<edge_offset>(), edges.count + 1},
                                                     .columns = {edges.row, row_.numel()},
                                                     .edges = {number, row_.numel()}};
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      softmax_rows<scalar_t> const parts(softmax.data_ptr<scalar_t>(), options_.heads);
      visit_attention<scalar_t>(options_, shape(rows), [&]<class Score, class Dropout>(Score score, Dropout dropout) {
        attend_rows<memory_space::host, scalar_t, Score, Dropout> const add{shard,
                                                                            sources<scalar_t>(rows),
                                                                            strided_over<scalar_t const>(rows.queries),
                                                                            strided_over<scalar_t>(output),
                                                                            parts.maxima,
                                                                            parts.shares,
                                                                            {options_.heads, options_.heads},
                                                                            shape(rows).of_head(),
                                                                            score,
                                                                            dropout};
        finish_attention<scalar_t> const finish{strided_over<scalar_t>(output), parts.shares, options_.heads,
                                                shape(rows).of_head().values};
        for (std::int64_t d = 0; d < edges.count; ++d) {
          add.run(d);
          for (std::int64_t head = 0; head < options_.heads && !loops_.how.add_self_loops; ++head) { // else after them
            finish(d * options_.heads + head);
          }
        }
      });
      loops_.attend<scalar_t>(device::cpu(), rows, output, softmax);
    });
  }

  void attend_backward(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax,
                       at::Tensor const& gradient, attention_tensors const& out) override {
    out.values.zero_();
    out.keys.zero_();
    out.queries.zero_();
    auto const heads = options_.heads;
    auto const deltas = at::empty_like(rows.queries);
    segments const edges(offsets_, row_);
    auto const columns = shape(rows).of_head();
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      using T = scalar_t;
      auto const from = sources<T>(rows);
      softmax_rows<T const> const parts(softmax.data_ptr<T>(), heads);
      attention_destinations<T> const to{strided_over<T const>(gradient), strided_over<T const>(rows.queries),
                                         parts.maxima, parts.shares, strided_over<T const>(deltas)};
      write_deltas<T> const write{to.gradients, strided_over<T const>(output), strided_over<T>(deltas), heads,
                                  columns.values};
      auto const by_values = strided_over<T>(out.values);
      auto const by_keys = strided_over<T>(out.keys);
      auto const by_queries = strided_over<T>(out.queries);
      visit_attention<T>(options_, shape(rows), [&](auto score, auto dropout) {
        for (std::int64_t d = 0; d < edges.count; ++d) {
          for (std::int64_t head = 0; head < heads; ++head) {
            write(d * heads + head);
          }
          for (auto e = edges.begin(d); e < edges.end(d); e += most_attended) {
            auto const count = static_cast<int>(std::min<std::int64_t>(edges.end(d) - e, most_attended));
            std::array<local_id, most_attended> numbers{};
            std::iota(numbers.begin(), numbers.end(), static_cast<local_id>(e));
            row_edges<shard_side::destination> const some{d, edges.row + e, numbers.data(), count};
            for (std::int64_t head = 0; head < heads; ++head) {
              attended_edges<T> const found(from, to, some, head, columns, score, dropout);
              for (int j = 0; j < count; ++j) {
                auto const source = some.source(j);
                add_scaled(found.weights[j], to.gradients.row(d) + head * columns.values,
                           by_values.row(source) + head * columns.values, columns.values);
                score.add_gradient(found.gradients[j], to.queries.row(d) + head * columns.keys,
                                   by_keys.row(source) + head * columns.keys);
                score.add_gradient(found.gradients[j], from.keys.row(source) + head * columns.keys,
                                   by_queries.row(d) + head * columns.keys);
              }
            }
          }
        }
      });
      loops_.add_gradients<T>(device::cpu(), rows, output, softmax, gradient, out);
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
