// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/batch_norm.hpp>
#include <glt/dist/full_batch/detail/column_sums.hpp>
#include <glt/dist/full_batch/detail/reproducible_batch_norm.hpp>

#include <ATen/core/ivalue.h> // for clang: see tensor.hpp
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Options of a `batch_norm`, as in LibTorch's `BatchNorm1d`.
struct batch_norm_options {
  std::int64_t features = 0;            ///< columns of the rows
  double eps = 1e-5;                    ///< added to the variance
  std::optional<double> momentum = 0.1; ///< weight of a batch in the running statistics; none: equal weights
  bool affine = true;                   ///< has a weight and a bias
  bool track_running_stats = true;      ///< has running statistics, for evaluation
  /// Makes results, gradients and running statistics independent of ranks, partition and threads, bit for bit, as over
  /// a `reproducible_graph`. Gradients of weight and bias are whole on rank 0 and 0 on the others, for `sum_grads`.
  /// Rows and gradients have to be finite.
  bool reproducible = false;
};

template <class T>
[[nodiscard]] host_matrix<T> tensor_matrix(at::Tensor const& tensor) {
  return {tensor.data_ptr<T>(), tensor.size(0), tensor.size(1)};
}

template <class T>
[[nodiscard]] batch_norm_parameters<memory_space::host, T> parameters_of(double eps, at::Tensor const& weight,
                                                                         at::Tensor const& bias) {
  return {.eps = eps, .weight = {weight.data_ptr<T>(), weight.numel()}, .bias = {bias.data_ptr<T>(), bias.numel()}};
}

/// State that a forward pass leaves for the backward pass.
template <communicator Comm>
struct batch_norm_pass : ::torch::CustomClassHolder {
  Comm comm;
  batch_statistics statistics;
  double eps;
  bool reproducible;

  batch_norm_pass(Comm of_ranks, batch_statistics of_rows, batch_norm_options const& options)
      : comm(std::move(of_ranks)), statistics(std::move(of_rows)), eps(options.eps),
        reproducible(options.reproducible) {}
};

template <communicator Comm>
struct batch_norm_function : ::torch::autograd::Function<batch_norm_function<Comm>> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;
  using pass = batch_norm_pass<Comm>;

  static at::Tensor forward(context* ctx, at::Tensor const& x, at::Tensor const& weight, at::Tensor const& bias,
                            c10::intrusive_ptr<pass> const& made) {
    ctx->save_for_backward({x, weight, bias});
    ctx->saved_data["pass"] = c10::IValue::make_capsule(made);
    auto y = at::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "batch_norm", [&] {
      normalize_batch(tensor_matrix<scalar_t>(x), made->statistics, parameters_of<scalar_t>(made->eps, weight, bias),
                      tensor_matrix<scalar_t>(y));
    });
    return y;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    auto const saved = ctx->get_saved_variables();
    auto const made = c10::static_intrusive_pointer_cast<pass>(ctx->saved_data["pass"].toCapsule());
    if (at::GradMode::is_enabled()) {
      agree(host_comm(made->comm), batch_norm_backward,
            "gradients of the gradients of a batch norm are not known; do not create a graph of the backward pass");
    }
    auto const x = saved[0].detach();
    auto const gradient = gradients[0].contiguous();
    at::Tensor of_x;
    batch_gradients sums;
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "batch_norm", [&] {
      auto const of_y = tensor_matrix<scalar_t>(gradient);
      auto const rows = tensor_matrix<scalar_t>(x);
      sums = made->reproducible ? gather_reproducible_gradients(made->comm, of_y, rows, made->statistics, made->eps)
                                : gather_batch_gradients(made->comm, of_y, rows, made->statistics, made->eps);
      if (saved[0].requires_grad()) {
        of_x = at::empty_like(x);
        write_batch_gradient(tensor_matrix<scalar_t>(gradient), tensor_matrix<scalar_t>(x), made->statistics,
                             sums.joined, parameters_of<scalar_t>(made->eps, saved[1], saved[2]),
                             tensor_matrix<scalar_t>(of_x));
      }
    });
    return {of_x, at::tensor(sums.own.normalized, x.options()), at::tensor(sums.own.plain, x.options()), {}};
  }
};

/// Batch norm over the rows of all ranks: y = (x − mean) / sqrt(variance + eps) · weight + bias, by column.
///
/// Parameters and buffers have the same names as in LibTorch's `BatchNorm1d`. They keep the same values on all ranks if
/// they start with the same: see `sync_params`.
///
/// @source Ioffe, Szegedy, "Batch normalization", ICML 2015
class batch_norm_impl : public ::torch::nn::Module {
public:
  /// @throws precondition_error  if features is below 1, eps is negative, or momentum is not in [0, 1]
  explicit batch_norm_impl(batch_norm_options options) : options_(options) {
    if (options.features < 1 || !(options.eps >= 0) ||
        (options.momentum && !(*options.momentum >= 0 && *options.momentum <= 1))) {
      throw precondition_error(message("batch_norm of ", options.features, " features, eps ", options.eps,
                                       ", momentum ", options.momentum.value_or(0),
                                       "; take 1 feature or more, eps from 0 on, momentum in [0, 1]"));
    }
    weight_ = at::ones({options.features});
    bias_ = at::zeros({options.features});
    if (options.affine) {
      weight_ = register_parameter("weight", weight_);
      bias_ = register_parameter("bias", bias_);
    }
    if (options.track_running_stats) {
      running_mean_ = register_buffer("running_mean", at::zeros({options.features}));
      running_var_ = register_buffer("running_var", at::ones({options.features}));
      num_batches_tracked_ = register_buffer("num_batches_tracked", at::zeros({}, at::kLong));
    }
  }

  /// Normalizes this rank's rows by the statistics of all ranks' rows; in evaluation by the running statistics, if it
  /// has them.
  ///
  /// The result is differentiable, and its backward pass is a collective too: the loss of every rank depends on the
  /// result, even on a rank without rows or seeds. The gradient of x is whole. The gradients of weight and bias are
  /// this rank's shares; their sum over ranks is the gradient. All this holds for the sum of the losses of all ranks,
  /// so every rank scales its loss alike. For the mean over S seeds of all ranks together, with R ranks:
  ///
  ///     auto const loss = losses.sum() * (comm.size() / double(S)); // S is the same on all ranks
  ///     loss.backward();
  ///     glt::gather_grads(comm, *net, 1); // the mean over ranks: 1 on every rank, without seeds too
  ///
  /// @shape  x [local rows, features], float or double as the module, in host memory → [local rows, features]
  /// @comm   collective while training or without running statistics, as is its backward pass: each is one header
  ///         exchange and one payload exchange, or with `reproducible` the exchanges of exact sums; else none
  /// @throws collective_error    on every rank, if x of a rank is not of that shape, or the ranks have fewer than two
  ///         rows together; from the backward pass, if it is asked for a differentiable gradient
  /// @throws precondition_error  if x is not of that shape, in a call that is not collective
  template <communicator Comm>
  [[nodiscard]] at::Tensor forward(Comm comm, at::Tensor const& x) {
    auto const fault = fault_of(x);
    if (!is_training() && options_.track_running_stats) {
      if (!fault.empty()) {
        throw precondition_error(fault);
      }
      return at::batch_norm(x, like(x, weight_), like(x, bias_), running_mean_, running_var_, /*training=*/false,
                            /*momentum=*/0, options_.eps, /*cudnn_enabled=*/false);
    }
    if (!fault.empty()) { // the other ranks learn it at their first exchange
      agree(host_comm(comm), batch_norm_forward, fault);
    }
    auto const rows = x.contiguous();
    batch_statistics statistics;
    AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "batch_norm", [&] {
      auto const matrix = tensor_matrix<scalar_t>(rows);
      statistics =
          options_.reproducible ? gather_reproducible_statistics(comm, matrix) : gather_batch_statistics(comm, matrix);
    });
    if (is_training() && options_.track_running_stats) {
      track(statistics);
    }
    return batch_norm_function<Comm>::apply(
        rows, like(rows, weight_), like(rows, bias_),
        c10::make_intrusive<batch_norm_pass<Comm>>(std::move(comm), std::move(statistics), options_));
  }

  [[nodiscard]] batch_norm_options const& options() const noexcept { return options_; }

private:
  // Returns values in the type of x. Parameters have it already; the constants of a module without parameters do not.
  [[nodiscard]] static at::Tensor like(at::Tensor const& x, at::Tensor const& values) {
    return values.to(x.scalar_type());
  }

  [[nodiscard]] std::string fault_of(at::Tensor const& x) const {
    bool const of_floats = x.defined() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
    auto const fits = [&](at::Tensor const& own) { return !own.defined() || own.scalar_type() == x.scalar_type(); };
    if (of_floats && x.dim() == 2 && x.size(1) == options_.features && x.device().is_cpu() &&
        (!options_.affine || fits(weight_)) && fits(running_mean_)) {
      return {};
    }
    return message("batch_norm over ",
                   x.defined() ? message(x.toString(), " ", shape_text({x.sizes().data(), x.sizes().size()}))
                               : std::string("no tensor"),
                   "; it takes a host tensor [rows, ", options_.features,
                   "] of the type of its parameters, float or double");
  }

  void track(batch_statistics const& statistics) {
    at::NoGradGuard const without_graph;
    num_batches_tracked_.add_(1);
    auto const share = options_.momentum.value_or(1 / num_batches_tracked_.item<double>());
    auto const options = running_mean_.options();
    auto const variances = at::tensor(statistics.deviations, at::kDouble) / static_cast<double>(statistics.rows - 1);
    running_mean_.mul_(1 - share).add_(at::tensor(statistics.mean, options), share);
    running_var_.mul_(1 - share).add_(variances.to(options), share);
  }

  batch_norm_options options_;
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor running_mean_;
  at::Tensor running_var_;
  at::Tensor num_batches_tracked_;
};

} // namespace detail

/// Shared handle of a `batch_norm_impl`, like the modules of LibTorch:
///
///     glt::batch_norm norm({.features = 64});
///     auto const y = norm(comm, x); // on every rank
///
/// Options: `features`, columns; `eps` of the variance, 1e-5 by default; `momentum`, 0.1, or none for equal weights of
/// batches; `affine` and `track_running_stats`, true; `reproducible`, false: bits do not depend on ranks, parts or
/// threads.
///
/// Concurrent calls: none while training; in evaluation `forward` may run concurrently while parameters are not
/// written.
class batch_norm : public ::torch::nn::ModuleHolder<detail::batch_norm_impl> {
public:
  using ::torch::nn::ModuleHolder<detail::batch_norm_impl>::ModuleHolder;
  using Impl = detail::batch_norm_impl;
  using options = detail::batch_norm_options;

  explicit batch_norm(options chosen) : ModuleHolder(std::make_shared<detail::batch_norm_impl>(chosen)) {}

  // LibTorch's own operator cannot call a template.
  template <communicator Comm>
  [[nodiscard]] at::Tensor operator()(Comm comm, at::Tensor const& x) {
    return (*this)->forward(std::move(comm), x);
  }
};

} // namespace glt
