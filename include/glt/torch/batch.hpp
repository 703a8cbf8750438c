// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dlpack/batch.hpp>
#include <glt/memory/memory.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/ordered_dict.h>
#include <torch/types.h>

namespace glt {

/// Returns tensors over everything in a batch by name, on the device of the policy, without a copy. Each tensor keeps
/// the whole batch alive. Kinds of batches and names are as in `to_dlpack`.
///
///     auto const tensors = glt::to_tensors(gpu, batch);
///     network->forward(tensors["features"], …);
///
/// @throws precondition_error  if batch is null
/// @throws c10::Error          if LibTorch was built without that device
/// @cost   O(L), whatever the size
template <device_policy Policy, class Batch>
  requires requires(Policy const& policy, std::shared_ptr<Batch> batch) { to_dlpack(policy, batch); }
[[nodiscard]] ::torch::OrderedDict<std::string, at::Tensor> to_tensors(Policy const& policy,
                                                                       std::shared_ptr<Batch> batch) {
  ::torch::OrderedDict<std::string, at::Tensor> tensors("Tensor");
  for (auto& [name, tensor] : to_dlpack(policy, std::move(batch))) {
    tensors.insert(std::move(name), to_tensor(std::move(tensor)));
  }
  return tensors;
}

} // namespace glt
