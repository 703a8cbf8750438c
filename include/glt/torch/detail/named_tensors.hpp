// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/broadcast_text.hpp>
#include <glt/core/detail/shape_text.hpp>

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
[[nodiscard]] inline std::string difference(std::string const& own, std::string const& of_rank_0) {
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
  return message("its module has ", rest(own), " where that of rank 0 has ", rest(of_rank_0),
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
  auto const what = committed(comm, [&] { return difference(text, of_rank_0); });
  throw_everywhere(comm, static_cast<int>(odd - headers.begin()), what);
}

} // namespace glt::detail
