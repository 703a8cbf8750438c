// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/torch/detail/block_edges.hpp>

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt {

/// Key and ids that decide which coefficients of an attention are dropped. The choice does not depend on ranks, blocks
/// or the order of edges.
///
/// @shape  edge_ids [E], by position in the rows of a sharded graph's part; not needed for a block that has edge ids ·
///         vertex_ids [num_destinations] or of more vertices after them, for self-loops that are added; both of
///         integers, 0 or more
struct attention_draws {
  random_key key{0}; ///< key into which seed, step and layer were folded
  at::Tensor edge_ids = {};
  at::Tensor vertex_ids = {};
};

/// Options of `attend_neighbors`; the same on all ranks, except the ids.
struct neighbor_attention {
  /// Score of a source for a destination: `additive`, leaky_relu(key + query), or `dot_product`, key · query / √(columns
  /// of a head).
  using score_type = detail::attention_score;

  /// Attention over some of the in-edges of destinations, as `attend_edges` returns it.
  ///
  /// @shape  averages of values [num_destinations, heads · d], 0 without edges · log_sums, log Σ exp(score)
  ///         [num_destinations, heads], −∞ without edges
  struct result {
    at::Tensor averages;
    at::Tensor log_sums;
  };

  std::int64_t heads = 1;
  score_type score = score_type::additive;
  double slope = 0.2;         ///< of the leaky ReLU
  bool add_self_loops = true; ///< one more edge from every destination to itself, beside the edges of the graph
  double dropout = 0;         ///< share of coefficients that become 0, in [0, 1); the others grow by 1 / (1 − dropout)
  attention_draws draws = {}; ///< needed only for dropout

  /// Returns the attention over all edges from attentions over some of them, as if one softmax had been over all.
  ///
  /// @shape  parts: at least one, each of averages [D, heads · d] and log_sums [D, heads] → [D, heads · d]
  [[nodiscard]] static at::Tensor join(std::vector<result> const& parts) {
    std::vector<at::Tensor> all;
    for (auto const& part : parts) {
      all.push_back(part.log_sums);
    }
    auto const log_sums = at::stack(all);
    auto const largest = log_sums.detach().amax(0);
    auto const powers = (log_sums - at::where(largest.isfinite(), largest, at::zeros_like(largest))).exp();
    auto const shares =
        (powers / powers.sum(0).clamp_min(1)).unsqueeze(3); // the largest power is 1 where there are edges
    auto const heads = log_sums.size(2);
    at::Tensor sum;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto const& rows = parts[i].averages;
      auto const part = shares[static_cast<std::int64_t>(i)] * rows.view({rows.size(0), heads, rows.size(1) / heads});
      sum = sum.defined() ? sum + part : part;
    }
    return sum.flatten(1);
  }
};

} // namespace glt

namespace glt::detail {

/// Inputs of an attention, or their gradients: values [S, heads · d], keys [S, heads · k], queries [D, heads · k];
/// contiguous.
struct attention_tensors {
  at::Tensor values;
  at::Tensor keys;
  at::Tensor queries;
};

/// Gradients by output [D, heads · d] and by the logarithms of the sums [D, heads], or undefined: 0.
struct result_gradient_tensors {
  at::Tensor output;
  at::Tensor log_sums;
};

/// Edges of an attention, in any place; the context of a backward pass keeps them.
struct attention_edges : ::torch::CustomClassHolder {
  /// Writes output [D, heads · d] and softmax [D, 2 · heads], as in `dist::attention_result`.
  virtual void attend(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax) = 0;
  /// Writes the gradients by `rows` to `out`.
  virtual void attend_backward(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax,
                               result_gradient_tensors const& gradient, attention_tensors const& out) = 0;
};

/// Attention over any edges; keeps local values, keys and queries, the output and the softmax.
struct attention_function : ::torch::autograd::Function<attention_function> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;

  /// @shape  → output [D, heads · d], logarithms of the sums [D, heads]
  static tensors forward(context* ctx, at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
                         std::int64_t heads, c10::intrusive_ptr<attention_edges> const& edges) {
    ctx->set_materialize_grads(false);
    attention_tensors const rows{values.contiguous(), keys.contiguous(), queries.contiguous()};
    auto const output = at::empty({queries.size(0), values.size(1)}, values.options());
    auto const softmax = at::empty({queries.size(0), 2 * heads}, queries.options());
    edges->attend(rows, output, softmax);
    ctx->saved_data["edges"] = at::IValue::make_capsule(edges);
    ctx->save_for_backward({rows.values, rows.keys, rows.queries, output, softmax});
    return {output, softmax.narrow(1, 0, heads) - softmax.narrow(1, heads, heads).log()};
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("attend_neighbors");
    auto const saved = ctx->get_saved_variables();
    attention_tensors const rows{saved[0], saved[1], saved[2]};
    auto const& output = saved[3];
    auto const& softmax = saved[4];
    result_gradient_tensors const gradient{gradients[0].defined() ? gradients[0].contiguous() : at::zeros_like(output),
                                           gradients[1].defined() ? gradients[1].contiguous() : at::Tensor()};
    attention_tensors const out{at::empty_like(rows.values), at::empty_like(rows.keys), at::empty_like(rows.queries)};
    auto const edges = ctx->saved_data["edges"].toCapsule();
    static_cast<attention_edges&>(*edges).attend_backward(rows, output, softmax, gradient, out);
    return {out.values, out.keys, out.queries, {}, {}};
  }
};

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
                     at::Tensor const& softmax, result_gradient_tensors const& gradient,
                     attention_tensors const& out) const {
    if (!how.add_self_loops) {
      return;
    }
    auto const deltas = at::empty({rows.queries.size(0), how.heads}, rows.queries.options());
    softmax_rows<T const> const parts(softmax.data_ptr<T>(), how.heads);
    attention_destinations<T> const to{strided_over<T const>(gradient.output), strided_over<T const>(rows.queries),
                                       parts.maxima, strided_over<T const>(deltas), how.heads};
    attention_sums<T> const by{strided_over<T>(out.values), strided_over<T>(out.keys), strided_over<T>(out.queries)};
    visit<T, Policy>(rows, [&](auto shard, auto pieces, auto columns, auto score, auto dropout) {
      using score_type = decltype(score);
      using dropout_type = decltype(dropout);
      auto const ex = policy.executor();
      ex.for_each(shard.num_rows * how.heads,
                  write_deltas<T>{to.gradients, strided_over<T const>(gradient.log_sums), strided_over<T const>(output),
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
    attention_options<Policy::space> options{.heads = how.heads,
                                             .score = how.score,
                                             .slope = how.slope,
                                             .dropout = how.dropout,
                                             .dropout_key = how.draws.key};
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
