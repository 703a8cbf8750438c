// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/detail/shape_text.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/sample/block.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <cstdint>

namespace glt {

namespace detail {

/// The edges of a block as raw pointers into tensors; destination d has those from offsets[d] − offsets[0]
/// on.
struct segments {
  std::int64_t count;
  edge_offset const* offsets;
  local_id const* row;

  segments(at::Tensor const& offset_tensor, at::Tensor const& row_tensor)
      : count(offset_tensor.numel() - 1), offsets(offset_tensor.data_ptr<edge_offset>()),
        row(row_tensor.data_ptr<local_id>()) {}
};

/// out[d] = mean of x[row[e]] over the edges e of d.
template <class T>
void average_segments(segments const& edges, T const* x, std::int64_t width, T* out) {
  for (std::int64_t d = 0; d < edges.count; ++d) {
    auto const first = edges.offsets[d] - edges.offsets[0];
    auto const last = edges.offsets[d + 1] - edges.offsets[0];
    T* const __restrict sum = out + d * width;
    for (auto e = first; e < last; ++e) {
      T const* const __restrict source = x + std::int64_t{edges.row[e]} * width;
      for (std::int64_t f = 0; f < width; ++f) {
        sum[f] += source[f];
      }
    }
    if (last > first) {
      T const scale = T(1) / static_cast<T>(last - first);
      for (std::int64_t f = 0; f < width; ++f) {
        sum[f] *= scale;
      }
    }
  }
}

/// into[row[e]] += gradient[d] / degree(d) for every edge e of every destination d.
template <class T>
void spread_segments(segments const& edges, T const* gradient, std::int64_t width, T* into) {
  for (std::int64_t d = 0; d < edges.count; ++d) {
    auto const first = edges.offsets[d] - edges.offsets[0];
    auto const last = edges.offsets[d + 1] - edges.offsets[0];
    T const scale = last > first ? T(1) / static_cast<T>(last - first) : T(0);
    T const* const __restrict from = gradient + d * width;
    for (auto e = first; e < last; ++e) {
      T* const __restrict to = into + std::int64_t{edges.row[e]} * width;
      for (std::int64_t f = 0; f < width; ++f) {
        to[f] += scale * from[f];
      }
    }
  }
}

struct segment_mean_function : ::torch::autograd::Function<segment_mean_function> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;

  static at::Tensor forward(context* ctx, at::Tensor const& x, at::Tensor const& offsets,
                            at::Tensor const& row) {
    ctx->save_for_backward({offsets, row});
    ctx->saved_data["num_sources"] = x.size(0);
    auto const rows = x.contiguous();
    auto out = at::zeros({offsets.numel() - 1, x.size(1)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "segment_mean", [&] {
      average_segments(segments(offsets, row), rows.template data_ptr<scalar_t>(), x.size(1),
                       out.template data_ptr<scalar_t>());
    });
    return out;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    auto const saved = ctx->get_saved_variables();
    auto const gradient = gradients[0].contiguous();
    auto const width = gradient.size(1);
    auto into = at::zeros({ctx->saved_data["num_sources"].toInt(), width}, gradient.options());
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "segment_mean", [&] {
      spread_segments(segments(saved[0], saved[1]), gradient.template data_ptr<scalar_t>(), width,
                      into.template data_ptr<scalar_t>());
    });
    return {into, {}, {}};
  }
};

} // namespace detail

/// The mean of x over the in-edges of every destination of a block; zero for a destination without edges.
///
/// Differentiable in x. Borrows the block's memory until the backward pass has run: sample the next batch
/// after it, or into another subgraph.
///
/// @shape  x [num_sources, F], float or double, in host memory → [num_destinations, F]
/// @throws precondition_error  if x is not such a matrix, or the block does not have one offset more than
///                             destinations
/// @cost   O(E · F), forward and backward; no tensor of E rows is made
template <memory_space Space>
[[nodiscard]] at::Tensor segment_mean(at::Tensor const& x, block_view<Space> block) {
  if (!x.defined() || x.dim() != 2 || x.size(0) != block.num_sources || !x.device().is_cpu() ||
      (x.scalar_type() != at::kFloat && x.scalar_type() != at::kDouble)) {
    auto const got = x.defined() ? detail::message(x.toString(), " ", detail::shape_text({x.sizes().data(), x.sizes().size()})) : "undefined tensor";
    throw precondition_error(detail::message("segment_mean over ", got,
                                             "; pass a float or double host tensor [", block.num_sources,
                                             ", F], one row per source of the block"));
  }
  if (block.offsets.size() != block.num_destinations + 1) {
    throw precondition_error(detail::message("segment_mean over a block of ", block.num_destinations,
                                             " destinations and ", block.offsets.size(),
                                             " offsets; pass a block of a sampled subgraph"));
  }
  return detail::segment_mean_function::apply(x, to_tensor(block.offsets), to_tensor(block.row));
}

} // namespace glt
