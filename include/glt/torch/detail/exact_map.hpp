// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/detail/exact_products.hpp>
#include <glt/torch/detail/first_order.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Returns the number of rows of all ranks in gradients of the same parameters.
///
/// @throws collective_error  on every rank, if a row of a rank is not finite, or parameters differ in size
template <communicator Comm>
[[nodiscard]] std::int64_t agree_on_rows(Comm& comm, std::int64_t rows, std::int64_t elements, bool finite) {
  std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), elements);
  std::vector<call_header> headers;
  exchange_headers(comm, {.what = operation::add_gradients}, counts, rows,
                   finite ? std::string() : "reproducible gradients of rows that are infinite or not a number",
                   headers);
  check_same(comm, headers, &call_header::count, [](std::int64_t own, std::int64_t first) {
    return message("adds gradients of ", own, " elements while rank 0 adds ", first,
                   "; train the same parameters on all ranks");
  });
  return total_value(headers);
}

/// Returns Σ over all rows of all ranks of gradient_v ⊗ x_v, in fixed point. Rank 0 gets the sum and the others zeros,
/// so that the sum over ranks is the gradient.
///
/// @shape  gradient [n, out] · x [n, in] → [out, in]
/// @comm   collective; one header exchange, a reduction of out + in doubles, and one of 2 · out · in 64-bit integers
template <communicator Comm>
[[nodiscard]] at::Tensor add_outer_products(Comm& comm, at::Tensor const& gradient, at::Tensor const& x) {
  auto const out = gradient.size(1);
  auto const in = x.size(1);
  at::Tensor const largest = at::cat({largest_along(gradient, 0), largest_along(x, 0)}, 1).contiguous();
  auto const total = agree_on_rows(comm, gradient.size(0), out * in, largest.isfinite().all().template item<bool>());
  return committed(comm, [&] {
    comm.all_reduce(std::span<double>(largest.data_ptr<double>(), static_cast<std::size_t>(largest.numel())),
                    reduction::max);
    auto const bits = slice_bits(total);
    auto const scales = scales_of(largest, bits);
    auto const scales_of_gradient = scales.narrow(1, 0, out);
    auto const scales_of_x = scales.narrow(1, out, in);
    auto const own = multiply_columns(gradient, x, scales_of_gradient, scales_of_x, bits);
    at::Tensor const sums = at::stack({own.high, own.low});
    comm.all_reduce(std::span<std::int64_t>(sums.data_ptr<std::int64_t>(), static_cast<std::size_t>(sums.numel())),
                    reduction::sum);
    if (comm.rank() != 0) {
      return at::zeros({out, in}, gradient.options());
    }
    return value_of({sums[0], sums[1]}, scales_of_gradient.t(), scales_of_x, bits).to(gradient.scalar_type());
  });
}

/// Map y = x weightᵀ + bias; a tensor without elements stands for no weight or no bias. Results and gradients do not
/// depend on the division of rows.
template <communicator Comm, host_policy Policy>
struct exact_map : ::torch::autograd::Function<exact_map<Comm, Policy>> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;
  using graph_type = dist::sharded_graph<Comm, Policy>;

  static at::Tensor forward(context* ctx, at::Tensor const& x, at::Tensor const& weight, at::Tensor const& bias,
                            graph_type* graph) {
    ctx->saved_data["graph"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(graph));
    ctx->save_for_backward({weight.numel() > 0 ? x : weight, weight, bias});
    auto const y = weight.numel() > 0 ? multiply_rows(x.detach(), weight.detach().t()) : x.detach().clone();
    return bias.numel() > 0 ? y.add_(bias.detach()) : y;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("map_rows");
    auto& comm = reinterpret_cast<graph_type*>(static_cast<std::intptr_t>(ctx->saved_data["graph"].toInt()))->host();
    auto const saved = ctx->get_saved_variables();
    auto const& [x, weight, bias] = std::tie(saved[0], saved[1], saved[2]);
    auto const gradient = gradients[0].detach();
    auto const of_x = weight.numel() > 0 ? multiply_rows(gradient, weight.detach()) : gradient;
    bool const weight_learns = weight.numel() > 0 && weight.requires_grad();
    bool const bias_learns = bias.numel() > 0 && bias.requires_grad();
    at::Tensor of_weight;
    at::Tensor of_bias;
    if (weight_learns || bias_learns) { // a bias is the weight of a column of ones
      at::Tensor const ones = at::ones({gradient.size(0), bias_learns ? 1 : 0}, gradient.options());
      auto const inputs = weight_learns ? bias_learns ? at::cat({x.detach(), ones}, 1) : x.detach() : ones;
      auto const products = add_outer_products(comm, gradient, inputs);
      auto const in = weight_learns ? x.size(1) : 0;
      of_weight = weight_learns ? products.narrow(1, 0, in) : at::Tensor();
      of_bias = bias_learns ? products.select(1, in) : at::Tensor();
    }
    return {of_x, of_weight, of_bias, {}};
  }
};

} // namespace glt::detail
