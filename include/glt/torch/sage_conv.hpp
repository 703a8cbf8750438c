// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/detail/shape_text.hpp>
#include <glt/core/error.hpp>
#include <glt/sample/block.hpp>
#include <glt/torch/segment_mean.hpp>

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <memory>

namespace glt {

/// Widths of a `sage_conv`.
struct sage_conv_options {
  std::int64_t in = 0;  ///< columns of the input
  std::int64_t out = 0; ///< columns of the output
};

namespace detail {

/// GraphSAGE layer with the mean aggregator: y_v = W_self x_v + W_neighbor · mean over in-edges (u, v) of x_u
/// + b.
///
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 1
class sage_conv_impl : public ::torch::nn::Module {
public:
  /// @throws precondition_error  if a width is below 1
  explicit sage_conv_impl(sage_conv_options options) {
    if (options.in < 1 || options.out < 1) {
      throw precondition_error(
          detail::message("sage_conv of widths ", options.in, " and ", options.out, "; both are 1 or more"));
    }
    self_ = register_module("self", ::torch::nn::Linear(options.in, options.out));
    neighbor_ = register_module(
        "neighbor", ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, options.out).bias(false)));
  }

  /// Borrows the block's memory until the backward pass has run.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, out]
  /// @throws precondition_error  if x is not of that shape
  template <memory_space Space>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, block_view<Space> block) {
    auto const width = self_->options.in_features();
    if (!x.defined() || x.dim() != 2 || x.size(1) != width) {
      throw precondition_error(detail::message("sage_conv over ",
                                               x.defined() ? detail::shape_text({x.sizes().data(), x.sizes().size()}) : "no tensor",
                                               "; it takes [", block.num_sources, ", ", width, "]"));
    }
    auto const mean = segment_mean(x, block);
    return self_(x.narrow(0, 0, block.num_destinations)) + neighbor_(mean);
  }

private:
  ::torch::nn::Linear self_{nullptr};
  ::torch::nn::Linear neighbor_{nullptr};
};

} // namespace detail

/// Shared handle of a `sage_conv_impl`, like the modules of LibTorch:
///
///     glt::sage_conv layer({.in = 256, .out = 64});
///
/// Concurrent calls: as of a module of LibTorch: `forward` may run concurrently while parameters are not written.
class sage_conv : public ::torch::nn::ModuleHolder<detail::sage_conv_impl> {
public:
  using ::torch::nn::ModuleHolder<detail::sage_conv_impl>::ModuleHolder;
  using Impl = detail::sage_conv_impl;

  explicit sage_conv(sage_conv_options options)
      : ModuleHolder(std::make_shared<detail::sage_conv_impl>(options)) {}

  // LibTorch's own operator cannot call a template.
  template <memory_space Space>
  [[nodiscard]] at::Tensor operator()(at::Tensor const& x, block_view<Space> block) {
    return (*this)->forward(x, block);
  }
};

} // namespace glt
