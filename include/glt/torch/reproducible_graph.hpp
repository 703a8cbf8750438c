// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/pushed_edges.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/neighbor_attention.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Two slices of integers, as doubles: an element is (high + low · 2^−bits) / scale. The error is at most 2^(−2 · bits
/// − 1) of the largest element with the same scale.
struct sliced_matrix {
  at::Tensor high;
  at::Tensor low;
};

/// Sums of products of slices, in integers; they do not depend on the order of the terms.
///
/// @shape  [m, n], of 64-bit integers
struct exact_sums {
  at::Tensor high; // of high · high
  at::Tensor low;  // of high · low + low · high

  [[nodiscard]] static exact_sums zeros(std::int64_t m, std::int64_t n) {
    auto const integers = at::TensorOptions().dtype(at::kLong);
    return {at::zeros({m, n}, integers), at::zeros({m, n}, integers)};
  }
};

/// Returns the number of bits of a slice of which `terms` products can be added up.
[[nodiscard]] inline int slice_bits(std::int64_t terms) {
  int const bits_of_sum =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(terms, 1))));
  return std::min(20, (62 - bits_of_sum) / 2);
}

/// Returns the number of products that doubles add up exactly.
[[nodiscard]] inline std::int64_t most_terms(int bits) {
  return std::int64_t{1} << (52 - 2 * bits);
}

/// Returns the largest magnitudes along a dimension; NaN if one of them is NaN.
///
/// @shape  matrix [n, k] → [n, 1] along dimension 1, [1, k] along 0, of doubles
[[nodiscard]] inline at::Tensor largest_along(at::Tensor const& matrix, std::int64_t dimension) {
  if (matrix.size(dimension) == 0) {
    return at::zeros({dimension == 1 ? matrix.size(0) : 1, dimension == 0 ? matrix.size(1) : 1}, at::kDouble);
  }
  return matrix.abs().amax(dimension, /*keepdim=*/true).to(at::kDouble);
}

/// Returns the powers of two that bring magnitudes of up to `largest` to at most 2^bits; infinite ones count as 1.
[[nodiscard]] inline at::Tensor scales_of(at::Tensor const& largest, int bits) {
  auto const scales = largest.contiguous().clone();
  auto* const values = scales.data_ptr<double>();
  for (std::int64_t i = 0; i < scales.numel(); ++i) {
    bool const usable = values[i] > 0 && values[i] <= std::numeric_limits<double>::max();
    values[i] = std::ldexp(1.0, std::min(bits - (usable ? std::ilogb(values[i]) + 1 : 0), 1000));
  }
  return scales;
}

/// Returns the slices of a matrix.
///
/// @shape  matrix [n, k] · scales [n, 1] or [1, k]
[[nodiscard]] inline sliced_matrix slice(at::Tensor const& matrix, at::Tensor const& scales, int bits) {
  auto low = matrix.to(at::kDouble) * scales;
  auto const high = low.round();
  low.sub_(high).mul_(std::ldexp(1.0, bits)).round_();
  return {high, low};
}

/// Adds the products a b of slices.
///
/// @shape  a [m, k] · b [k, n], where k is at most `most_terms`
/// @cost   three products of matrices of doubles
/// @source Ozaki et al., "Error-free transformations of matrix multiplication by using fast routines of matrix
///         multiplication and its applications", Numerical Algorithms 59, 2012
inline void add_products(exact_sums& sums, sliced_matrix const& a, sliced_matrix const& b) {
  sums.high += a.high.mm(b.high).to(at::kLong);
  sums.low += a.high.mm(b.low).addmm_(a.low, b.high).to(at::kLong);
}

/// Returns the value of sums of products.
///
/// @shape  scales [m, 1] and [1, n] → [m, n], of doubles
[[nodiscard]] inline at::Tensor value_of(exact_sums const& sums, at::Tensor const& scales_of_a,
                                         at::Tensor const& scales_of_b, int bits) {
  auto const sum = sums.high.to(at::kDouble) + sums.low.to(at::kDouble) * std::ldexp(1.0, -bits);
  return sum / scales_of_b / scales_of_a;
}

/// Returns Σ over rows v of a_v ⊗ b_v.
///
/// @shape  a [k, m] · b [k, n] · scales [1, m] and [1, n]
[[nodiscard]] inline exact_sums multiply_columns(at::Tensor const& a, at::Tensor const& b,
                                                 at::Tensor const& scales_of_a, at::Tensor const& scales_of_b,
                                                 int bits) {
  auto sums = exact_sums::zeros(a.size(1), b.size(1));
  auto const piece = most_terms(bits);
  for (std::int64_t first = 0; first < a.size(0); first += piece) {
    auto const rows = std::min(piece, a.size(0) - first);
    auto const of_a = slice(a.narrow(0, first, rows), scales_of_a, bits);
    add_products(sums, {of_a.high.t(), of_a.low.t()}, slice(b.narrow(0, first, rows), scales_of_b, bits));
  }
  return sums;
}

/// Returns the product a b. The bits of a row do not depend on the other rows.
///
/// Column j of a is scaled by m_j, the largest magnitude in row j of b. Small columns thus keep their bits beside large
/// ones, if b makes up for the difference. Element ic is off by at most k · 2^(3 − 2 · bits) of max_j |a_ij| m_j ·
/// max_j |b_jc| / m_j: k · 2⁻³⁷ of it for k below 2²².
///
/// @shape  a [m, k] · b [k, n] → [m, n], of a's type; not a number where a row of a or a column of b is not finite
[[nodiscard]] inline at::Tensor multiply_rows(at::Tensor const& a, at::Tensor const& b) {
  constexpr std::int64_t most_rows = 1 << 11; // rows at a time, for the memory of slices
  auto const bits = slice_bits(a.size(1));
  auto const piece = most_terms(bits);
  auto const measures = largest_along(b, 1);
  auto const units = scales_of(measures, 1).masked_fill_(measures.eq(0), 0x1p1000); // columns times 0 become small
  auto const columns = b.to(at::kDouble) * units;
  auto const largest_of_b = largest_along(columns, 0);
  auto const scales_of_b = scales_of(largest_of_b, bits);
  auto const sliced_b = slice(columns, scales_of_b, bits);
  auto const result = at::empty({a.size(0), b.size(1)}, a.options());
  for (std::int64_t first = 0; first < a.size(0); first += most_rows) {
    auto const rows = a.narrow(0, first, std::min(most_rows, a.size(0) - first)).to(at::kDouble) / units.t();
    auto const largest = largest_along(rows, 1);
    auto const scales = scales_of(largest, bits);
    auto const sliced = slice(rows, scales, bits);
    auto sums = exact_sums::zeros(rows.size(0), b.size(1));
    for (std::int64_t term = 0; term < a.size(1); term += piece) {
      auto const terms = std::min(piece, a.size(1) - term);
      add_products(sums, {sliced.high.narrow(1, term, terms), sliced.low.narrow(1, term, terms)},
                   {sliced_b.high.narrow(0, term, terms), sliced_b.low.narrow(0, term, terms)});
    }
    auto const unusable = largest.isfinite().logical_not().logical_or(largest_of_b.isfinite().logical_not());
    result.narrow(0, first, rows.size(0))
        .copy_(
            value_of(sums, scales, scales_of_b, bits).masked_fill_(unusable, std::numeric_limits<double>::quiet_NaN()));
  }
  return result;
}

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

namespace glt {

/// Graph whose training gives the same bits for any number of ranks, any partition and any number of threads. It is a
/// whole graph or a layer of `dist::make_mfgs`.
///
///     glt::reproducible_graph exact{sharded};
///     auto const y = second(first(x, exact).relu(), exact); // gcn_, sage_, gin_, gat_, rgcn_ or rgat_conv
///     (loss / num_seeds_of_all_ranks).backward();           // a sum over local seeds
///     glt::sum_grads(comm, network);
///
/// Sums over neighbours and gradients of parameters are added in fixed point (`dist::aggregation::reproducible`).
/// Products x W with weights are exact products of slices of 20 bits: an element is off by up to k · 2⁻³⁷ of the largest
/// |x_ij| max_c |W_jc| in its row, of k columns. A column of x that is 10¹¹ times smaller than another one is lost,
/// unless its weights are larger: divide columns by their deviation first. All other operations of a network must give a row the
/// same result on every rank. This holds for `relu`, for losses of rows, and for a `reproducible` `batch_norm`. It does
/// not hold for `at::dropout` (take `keyed_dropout`), nor for layers of LibTorch, whose gradients are summed over rows
/// in their order. Activations with an exp, such as `sigmoid`, may differ in the last elements of a tensor, which have
/// no vector register.
///
/// Concurrent calls: none, as for the graph, which must outlive it.
///
/// @cost   sums about twice, attention twice forward and 1.3 to 1.6 times backward, products with weights 3 to 13 times
///         the cost with floats (the wider, the more); 8 bytes an element travel backward
template <communicator Comm, host_policy Policy>
struct reproducible_graph {
  dist::sharded_graph<Comm, Policy>& graph;
  dist::pushed_edges<Policy> const* pushed = nullptr; ///< for attention, as in a `pushing_graph`; the same bits

  /// Aggregates as over the sharded graph, reproducibly.
  ///
  /// @throws precondition_error  also if a gradient of a maximum or minimum is asked for: it goes to the first of equal
  ///         sources, an order that depends on the partition
  [[nodiscard]] friend at::Tensor aggregate_neighbors(at::Tensor const& x, reproducible_graph const& over,
                                                      dist::aggregator how) {
    if (detail::is_extreme(how) && at::GradMode::is_enabled() && x.requires_grad()) {
      throw precondition_error(
          "gradient of a maximum or minimum over a reproducible_graph; equal sources have no order "
          "that holds for every partition, take a sum or a mean, or the graph itself");
    }
    return detail::aggregate_over_ranks(x, over.graph, how, /*reproducible=*/true);
  }

  /// Attends as over the sharded graph, reproducibly.
  [[nodiscard]] friend neighbor_attention::result attend_edges(at::Tensor const& values, at::Tensor const& keys,
                                                               at::Tensor const& queries,
                                                               reproducible_graph const& over,
                                                               neighbor_attention const& how = {}) {
    return detail::attend_over_ranks(values, keys, queries, over.graph, how, over.pushed, /*reproducible=*/true);
  }

  [[nodiscard]] friend at::Tensor source_degrees(reproducible_graph const& over) { return source_degrees(over.graph); }

  /// Returns x weightᵀ + bias, where weight or bias may be undefined. The bits of a row do not depend on the other
  /// rows.
  ///
  /// Differentiable, once. Gradients of weight and bias are whole on rank 0 and zeros on the others.
  ///
  /// @shape  x [n, in], float or double · weight [out, in] · bias [out] → [n, out]
  /// @comm   backward: a header exchange and two reductions, if weight or bias is trained
  /// @throws collective_error  backward, on every rank, if rows or gradients are not finite, or parameters differ in
  ///                           size
  /// @cost   forward and backward three products of doubles where floats take one
  /// @source Ozaki et al., Numerical Algorithms 59, 2012, for products of slices
  [[nodiscard]] friend at::Tensor map_rows(at::Tensor const& x, at::Tensor const& weight, at::Tensor const& bias,
                                           reproducible_graph const& over) {
    auto const or_empty = [&](at::Tensor const& tensor) { // undefined ones cannot be arguments of functions
      return tensor.defined() ? tensor : at::empty({0}, x.options().requires_grad(false));
    };
    return detail::exact_map<Comm, Policy>::apply(x, or_empty(weight), or_empty(bias), &over.graph);
  }
};

template <communicator Comm, host_policy Policy>
reproducible_graph(dist::sharded_graph<Comm, Policy>&,
                   std::type_identity_t<dist::pushed_edges<Policy>> const* = nullptr)
    -> reproducible_graph<Comm, Policy>;

} // namespace glt
