// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/shape_text.hpp>

#include <torch/nn/module.h>
#include <torch/serialize/archive.h>
#include <torch/types.h>

#include <set>

namespace glt::detail {

/// Tensor of a module, and its value in an archive.
struct restored_tensor {
  at::Tensor own;
  at::Tensor saved;
};

[[nodiscard]] inline std::string shape_of(at::Tensor const& tensor) {
  return message(at::toString(tensor.scalar_type()), " ", shape_text({tensor.sizes().data(), tensor.sizes().size()}));
}

/// Adds the tensors of a module and of its submodules, each with its value in an archive of `module.save`.
inline void match_module(::torch::serialize::InputArchive& archive, ::torch::nn::Module const& module,
                         std::string const& path, std::string const& within, std::vector<restored_tensor>& tensors) {
  std::set<std::string> known;
  auto const match = [&](std::string const& name, at::Tensor const& own, bool is_buffer) {
    known.insert(name);
    at::Tensor saved;
    if (!archive.try_read(name, saved, is_buffer)) {
      throw precondition_error(message(within, name, " ", shape_of(own), " of the module is not in ", path,
                                       "; build the module that was saved"));
    }
    if (saved.sizes() != own.sizes() || saved.scalar_type() != own.scalar_type()) {
      throw precondition_error(message(within, name, " is ", shape_of(saved), " in ", path, " and ", shape_of(own),
                                       " in the module; build it with the widths that it was saved with"));
    }
    tensors.push_back({own, saved});
  };
  for (auto const& parameter : module.named_parameters(/*recurse=*/false)) {
    match(parameter.key(), parameter.value(), false);
  }
  for (auto const& buffer : module.named_buffers(/*recurse=*/false)) {
    match(buffer.key(), buffer.value(), true);
  }
  for (auto const& child : module.named_children()) {
    if (!child.value()->is_serializable()) {
      continue;
    }
    known.insert(child.key());
    ::torch::serialize::InputArchive of_child;
    if (!archive.try_read(child.key(), of_child)) {
      throw precondition_error(
          message(within, child.key(), " of the module is not in ", path, "; build the module that was saved"));
    }
    match_module(of_child, *child.value(), path, within + child.key() + ".", tensors);
  }
  for (auto const& name : archive.keys()) {
    if (!known.contains(name)) {
      throw precondition_error(
          message(within, name, " of ", path, " is not in the module; build the module that was saved"));
    }
  }
}

/// Returns the parameters and buffers of a module with their values in an archive; `restore` them after all other
/// checks.
///
/// @throws precondition_error  naming the tensor, if one is missing, is one too many, or has another shape or element
///         type
[[nodiscard]] inline std::vector<restored_tensor>
match_module(::torch::serialize::InputArchive& archive, ::torch::nn::Module const& module, std::string const& path) {
  std::vector<restored_tensor> tensors;
  match_module(archive, module, path, {}, tensors);
  return tensors;
}

inline void restore(std::vector<restored_tensor>& tensors) {
  for (auto& [own, saved] : tensors) {
    own.detach().copy_(saved);
  }
}

} // namespace glt::detail
