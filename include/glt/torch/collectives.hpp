// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/agreement.hpp>

#include <ATen/core/ivalue.h> // for clang: see tensor.hpp
#include <torch/nn/module.h>
#include <torch/types.h>

namespace glt::detail {

/// Tensor of a module and its path in it.
struct named_tensor {
  std::string name;
  at::Tensor tensor;
};

/// Returns all parameters, then all buffers, in the order of the module.
[[nodiscard]] inline std::vector<named_tensor> state_of(::torch::nn::Module const& module) {
  std::vector<named_tensor> state;
  for (auto const& parameter : module.named_parameters()) {
    state.push_back({parameter.key(), parameter.value()});
  }
  for (auto const& buffer : module.named_buffers()) {
    state.push_back({buffer.key(), buffer.value()});
  }
  return state;
}

/// Returns the parameters that require gradients.
[[nodiscard]] inline std::vector<named_tensor> trained_parameters(::torch::nn::Module const& module) {
  std::vector<named_tensor> trained;
  for (auto const& parameter : module.named_parameters()) {
    if (parameter.value().requires_grad()) {
      trained.push_back({parameter.key(), parameter.value()});
    }
  }
  return trained;
}

[[nodiscard]] inline std::int64_t elements_of(std::vector<named_tensor> const& tensors) {
  std::int64_t count = 0;
  for (auto const& entry : tensors) {
    count += entry.tensor.numel();
  }
  return count;
}

[[nodiscard]] inline std::int64_t bytes_of(std::vector<named_tensor> const& tensors) {
  std::int64_t bytes = 0;
  for (auto const& entry : tensors) {
    bytes += static_cast<std::int64_t>(entry.tensor.nbytes());
  }
  return bytes;
}

/// Returns the bytes of the tensors, one tensor after the other.
[[nodiscard]] inline at::Tensor pack(std::vector<named_tensor> const& tensors) {
  std::vector<at::Tensor> bytes;
  for (auto const& entry : tensors) {
    bytes.push_back(entry.tensor.detach().to(at::kCPU).reshape(-1).view(at::kByte));
  }
  return at::cat(bytes);
}

/// Writes the bytes of `pack` into tensors of the same shapes.
inline void unpack(at::Tensor const& bytes, std::vector<named_tensor> const& tensors) {
  std::int64_t first = 0;
  for (auto const& entry : tensors) {
    auto const size = static_cast<std::int64_t>(entry.tensor.nbytes());
    auto const aligned = bytes.narrow(0, first, size).clone();
    entry.tensor.detach().copy_(aligned.view(entry.tensor.scalar_type()).view(entry.tensor.sizes()));
    first += size;
  }
}

/// Returns one line per tensor: name, element type, shape.
[[nodiscard]] inline std::string describe(std::vector<named_tensor> const& tensors) {
  std::string text;
  for (auto const& entry : tensors) {
    text += message(entry.name, " ", at::toString(entry.tensor.scalar_type()), " ",
                    shape_text({entry.tensor.sizes().data(), entry.tensor.sizes().size()}), "\n");
  }
  return text;
}

/// Returns the first lines in which two descriptions differ, as a sentence; empty if there are none.
[[nodiscard]] inline std::string difference(std::string const& own, std::string const& of_rank_0, int rank_0) {
  if (own == of_rank_0) {
    return {};
  }
  std::size_t line = 0;
  for (std::size_t i = 0; i < own.size() && i < of_rank_0.size() && own[i] == of_rank_0[i]; ++i) {
    line = own[i] == '\n' ? i + 1 : line;
  }
  auto const rest = [line](std::string const& text) {
    return line < text.size() ? text.substr(line, text.find('\n', line) - line) : std::string("no further tensor");
  };
  return message("its module has ", rest(own), ", and the module of rank ", rank_0, " has ", rest(of_rank_0),
                 "; build the same module on all ranks");
}

/// Makes sure that the tensors of all ranks have the same names, element types and shapes as on rank 0.
///
/// @comm   collective; one header exchange, and the descriptions only if they differ
/// @throws collective_error  on every rank, if the tensors of a rank differ
template <communicator Comm>
void agree_on_tensors(Comm& comm, std::vector<named_tensor> const& tensors) {
  auto const text = describe(tensors);
  random_key fingerprint(0);
  for (char const letter : text) {
    fingerprint = fingerprint.fold(static_cast<unsigned char>(letter));
  }
  std::string of_rank_0 = text;
  call_site const site{.what = operation::sync_parameters};
  std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 0);
  std::vector<call_header> headers(counts.size());
  exchange_headers(comm, site, counts, static_cast<std::int64_t>(fingerprint.bits()), {}, headers);
  auto const odd = std::find_if(headers.begin(), headers.end(),
                                [&](call_header const& header) { return header.value != headers[0].value; });
  if (odd == headers.end()) {
    return;
  }
  broadcast_text(comm, of_rank_0);
  auto const what = committed(comm, [&] { return difference(text, of_rank_0, world_rank(comm, 0)); });
  throw_everywhere(comm, static_cast<int>(odd - headers.begin()), what);
}

} // namespace glt::detail

namespace glt {

/// Copies all parameters and buffers of rank 0's module to the other ranks.
///
/// @comm   collective; one header exchange and, if there is a tensor, one broadcast of all their bytes
/// @throws collective_error  on every rank, if the tensors of a rank differ from the tensors of rank 0 in number, name,
///         element type or shape; then nothing is changed
/// @cost   one extra copy of the tensors
template <communicator Comm>
void sync_params(Comm& comm, ::torch::nn::Module& module) {
  auto const tensors = detail::state_of(module);
  auto const size = detail::bytes_of(tensors);
  auto const bytes =
      size > 0 && comm.rank() == 0 ? detail::pack(tensors) : at::empty({size}, at::TensorOptions().dtype(at::kByte));
  detail::agree_on_tensors(comm, tensors);
  if (size == 0) {
    return;
  }
  comm.broadcast(static_cast<std::byte*>(bytes.data_ptr()), size, 0);
  if (comm.rank() != 0) {
    detail::unpack(bytes, tensors);
  }
}

namespace detail {

/// Returns why the gradients of this rank cannot enter a bucket; empty if they can.
[[nodiscard]] inline std::string gradient_fault(std::vector<named_tensor> const& parameters, std::int64_t num_seeds) {
  if (num_seeds < 0) {
    return message("gradients of ", num_seeds, " seeds; the number is 0 or more");
  }
  for (auto const& [name, parameter] : parameters) {
    auto const type = parameter.scalar_type();
    if ((type != at::kFloat && type != at::kDouble) || type != parameters.front().tensor.scalar_type()) {
      return message("parameter ", name, " has elements of ", parameter.toString(), " and ", parameters.front().name,
                     " of ", parameters.front().tensor.toString(), "; make all parameters float, or all double");
    }
    if (parameter.grad().defined() && parameter.grad().layout() != at::kStrided) {
      return message("the gradient of ", name,
                     " is sparse; keep the table in a dist::sparse_embedding, whose gradients go to the owners of "
                     "its rows, or make the gradient dense");
    }
  }
  return {};
}

/// Writes `weight` times every gradient one after the other into `bucket`, then a flag per parameter.
inline void fill_bucket(std::vector<named_tensor> const& parameters, double weight, at::Tensor& bucket) {
  auto flags = bucket.narrow(0, bucket.numel() - static_cast<std::int64_t>(parameters.size()),
                             static_cast<std::int64_t>(parameters.size()));
  std::int64_t first = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto const& parameter = parameters[i].tensor;
    if (parameter.grad().defined()) {
      bucket.narrow(0, first, parameter.numel()).copy_(parameter.grad().detach().reshape(-1)).mul_(weight);
      flags[static_cast<std::int64_t>(i)].fill_(1);
    }
    first += parameter.numel();
  }
}

/// Copies the sums in `bucket` back to the gradients.
inline void empty_bucket(at::Tensor const& bucket, std::vector<named_tensor> const& parameters) {
  auto const flags = bucket.narrow(0, bucket.numel() - static_cast<std::int64_t>(parameters.size()),
                                   static_cast<std::int64_t>(parameters.size()));
  std::int64_t first = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto parameter = parameters[i].tensor;
    auto const sum = bucket.narrow(0, first, parameter.numel()).view(parameter.sizes());
    first += parameter.numel();
    if (flags[static_cast<std::int64_t>(i)].item<double>() == 0) {
      parameter.mutable_grad().reset();
    } else if (parameter.grad().defined()) {
      parameter.mutable_grad().detach().copy_(sum);
    } else {
      parameter.mutable_grad() =
          sum.to(parameter.device(), parameter.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
    }
  }
}

/// Makes sure that all ranks have matching gradients; returns the sum of their seeds.
///
/// @comm   collective; one header exchange
template <communicator Comm>
[[nodiscard]] std::int64_t agree_on_gradients(Comm& comm, std::vector<named_tensor> const& parameters,
                                              std::int64_t num_seeds) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> const bytes(ranks, bytes_of(parameters));
  std::vector<call_header> headers(ranks);
  exchange_headers(comm, {.what = operation::gather_gradients}, bytes, num_seeds, gradient_fault(parameters, num_seeds),
                   headers);
  check_same(comm, headers, &call_header::count, [](std::int64_t own, std::int64_t first) {
    return message("gathers gradients of ", own, " bytes while rank 0 gathers ", first,
                   "; train the same parameters on all ranks");
  });
  return total_value(headers);
}

/// Returns room for the gradients of parameters and their flags, filled with zeros.
[[nodiscard]] inline at::Tensor make_bucket(std::vector<named_tensor> const& parameters) {
  return at::zeros({elements_of(parameters) + static_cast<std::int64_t>(parameters.size())},
                   at::TensorOptions().dtype(parameters.front().tensor.scalar_type()));
}

/// Adds up a bucket over ranks.
template <communicator Comm>
void reduce_bucket(Comm& comm, at::Tensor const& bucket) {
  AT_DISPATCH_FLOATING_TYPES(bucket.scalar_type(), "reduce_bucket", [&] {
    comm.all_reduce(std::span<scalar_t>(bucket.data_ptr<scalar_t>(), static_cast<std::size_t>(bucket.numel())),
                    reduction::sum);
  });
}

/// Refuses a bucket of sums over ranks that are not all finite: an optimiser would lose the network with them.
///
/// @param  contributes  whether this rank's gradients are in the sums
/// @comm   collective; nothing if all sums are finite, else one header exchange
/// @throws collective_error  on every rank, naming the rank and the parameter whose gradient is not finite
template <communicator Comm>
void check_finite(Comm& comm, at::Tensor const& bucket, std::vector<named_tensor> const& parameters, bool contributes) {
  if (std::isfinite(bucket.sum().item<double>()) || bucket.isfinite().all().item<bool>()) { // the sum may be too large
    return;
  }
  committed(comm, [&] {
    auto const odd = std::ranges::find_if(parameters, [&](named_tensor const& each) {
      auto const& gradient = each.tensor.grad();
      return contributes && gradient.defined() && !gradient.isfinite().all().item<bool>();
    });
    exchange_values(comm, {.what = operation::gather_gradients, .hop = 1},
                    odd == parameters.end() ? std::string()
                                            : message("the gradient of ", odd->name,
                                                      " is not finite; look for features that are not, which "
                                                      "glt-partition refuses, or lower the learning rate"));
    throw agreed(comm, 0, "the sum of the gradients of all ranks is not finite; lower the learning rate");
  });
}

/// Replaces gradients by Σ_r gradient_r · share_r, where `share(total)` is this rank's share of Σ_r num_seeds_r.
template <communicator Comm, class Share>
void reduce_gradients(Comm& comm, ::torch::nn::Module& module, std::int64_t num_seeds, Share share) {
  auto const parameters = trained_parameters(module);
  auto bucket = parameters.empty() ? at::Tensor() : make_bucket(parameters);
  auto const total = agree_on_gradients(comm, parameters, num_seeds);
  if (parameters.empty()) {
    return;
  }
  committed(comm, [&] {
    if (num_seeds > 0) {
      fill_bucket(parameters, share(total), bucket);
    }
    reduce_bucket(comm, bucket);
  });
  check_finite(comm, bucket, parameters, num_seeds > 0);
  empty_bucket(bucket, parameters);
}

} // namespace detail

/// Replaces the gradients of every rank by their mean over ranks, weighted by seeds:
/// Σ_r gradient_r · num_seeds_r / Σ_r num_seeds_r.
///
/// With losses that are means over a rank's seeds, this is the gradient of the mean over all seeds. A rank without
/// seeds contributes zeros, whatever its gradients hold; a rank without a gradient for a parameter does so for that
/// parameter. Both get the result. If no rank with seeds has a gradient for a parameter, it has none afterwards. An
/// optimiser then skips it, as on one process.
///
/// @comm   collective; one header exchange, which carries the numbers of seeds, and one all-reduce of all
///         gradients and one element per parameter; one header exchange more before the error of a sum that is not
///         finite
/// @throws collective_error  on every rank, if a rank has a negative number of seeds, parameters that are
///                           neither all float nor all double, a sparse gradient, a gradient that is not finite, or
///                           another number of bytes of gradients than rank 0; gradients stay as they were
/// @cost   one extra copy of the gradients
template <communicator Comm>
void gather_grads(Comm& comm, ::torch::nn::Module& module, std::int64_t num_seeds) {
  detail::reduce_gradients(comm, module, num_seeds, [&](std::int64_t total) {
    return static_cast<double>(num_seeds) / static_cast<double>(total);
  });
}

/// Replaces the gradients of every rank by their sum over ranks. It is for losses that are terms of one sum, such as a
/// sum over the vertices of a whole graph. If no rank has a gradient for a parameter, it has none afterwards.
///
/// @comm   collective; as `gather_grads`
/// @throws collective_error  on every rank, as `gather_grads`
/// @cost   one extra copy of the gradients
template <communicator Comm>
void sum_grads(Comm& comm, ::torch::nn::Module& module) {
  detail::reduce_gradients(comm, module, 1, [](std::int64_t) { return 1.0; });
}

} // namespace glt
