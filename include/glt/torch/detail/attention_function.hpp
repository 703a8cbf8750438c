// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/torch/detail/first_order.hpp>

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Inputs of an attention, or their gradients: values [S, heads · d], keys [S, heads], queries [D, heads]; contiguous.
struct attention_tensors {
  at::Tensor values;
  at::Tensor keys;
  at::Tensor queries;
};

/// Edges of an attention, in any place; the context of a backward pass keeps them.
struct attention_edges : ::torch::CustomClassHolder {
  /// Writes output [D, heads · d] and softmax [D, 2 · heads], as in `dist::attention_result`.
  virtual void attend(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax) = 0;
  /// Writes the gradients by `rows` to `out`.
  virtual void attend_backward(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax,
                               at::Tensor const& gradient, attention_tensors const& out) = 0;
};

/// Attention over any edges; keeps local values, keys and queries, the output and the softmax.
struct attention_function : ::torch::autograd::Function<attention_function> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;

  static at::Tensor forward(context* ctx, at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
                            c10::intrusive_ptr<attention_edges> const& edges) {
    attention_tensors const rows{values.contiguous(), keys.contiguous(), queries.contiguous()};
    auto const output = at::empty({queries.size(0), values.size(1)}, values.options());
    auto const softmax = at::empty({queries.size(0), 2 * queries.size(1)}, queries.options());
    edges->attend(rows, output, softmax);
    ctx->saved_data["edges"] = at::IValue::make_capsule(edges);
    ctx->save_for_backward({rows.values, rows.keys, rows.queries, output, softmax});
    return output;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("attend_neighbors");
    auto const saved = ctx->get_saved_variables();
    attention_tensors const rows{saved[0], saved[1], saved[2]};
    auto const& output = saved[3];
    auto const& softmax = saved[4];
    auto const gradient = gradients[0].contiguous();
    attention_tensors const out{at::empty_like(rows.values), at::empty_like(rows.keys), at::empty_like(rows.queries)};
    auto const edges = ctx->saved_data["edges"].toCapsule();
    static_cast<attention_edges&>(*edges).attend_backward(rows, output, softmax, gradient, out);
    return {out.values, out.keys, out.queries, {}};
  }
};

} // namespace glt::detail
