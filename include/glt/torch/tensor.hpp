// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dlpack/export.hpp>
#include <glt/dlpack/tensor.hpp>

#if !__has_include(<torch/types.h>)
#include <missing for glt::torch: LibTorch: install libtorch-dev and link glt::torch> // an error that ends the compilation
#endif
#include <ATen/core/ivalue.h> // first: clang refuses the lists of LibTorch 1.13 before c10::IValue is complete

#include <ATen/DLConvertor.h>
#include <torch/ordered_dict.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Returns the tensor element type that has the layout of T; other types do not compile.
template <class T>
[[nodiscard]] constexpr at::ScalarType tensor_type() noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return at::kFloat;
  } else if constexpr (std::is_same_v<T, double>) {
    return at::kDouble;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return at::kInt;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return at::kLong;
  } else if constexpr (std::is_same_v<T, std::int16_t>) {
    return at::kShort;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return at::kChar;
  } else if constexpr (std::is_same_v<T, float16>) {
    return at::kHalf;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return at::kBFloat16;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>,
                  "a tensor can view elements of the types of glt::element_type: convert others first");
    return at::kByte;
  }
}

template <memory_space Space, class T>
[[nodiscard]] at::Tensor borrow_as_tensor(T* data, at::IntArrayRef shape) {
  static_assert(host_accessible(Space),
                "a view of device memory does not say whose: give to_tensor the policy and a keeper as well");
  using value = std::remove_const_t<T>;
  return at::from_blob(const_cast<value*>(data), shape, at::TensorOptions().dtype(tensor_type<value>()));
}

} // namespace detail

/// Makes a tensor over the elements of an array, without a copy.
///
/// The tensor borrows: while the tensor or a view of it is used, the array must live and must not be resized. To keep
/// the data longer, call `clone()`. A tensor over const elements is only for reading: tensors have no const, so no
/// check prevents in-place operations.
///
/// @shape  values [n] → tensor [n]
/// @cost   O(1)
template <memory_space Space, class T>
[[nodiscard]] at::Tensor to_tensor(array_view<Space, T> values) {
  return detail::borrow_as_tensor<Space>(values.data(), {values.size()});
}

/// Makes a tensor over the elements of a matrix, without a copy; it borrows as for an array.
///
/// @shape  values [n, F] → tensor [n, F], contiguous
/// @cost   O(1)
template <memory_space Space, class T>
[[nodiscard]] at::Tensor to_tensor(matrix_view<Space, T> values) {
  return detail::borrow_as_tensor<Space>(values.data(), {values.rows(), values.columns()});
}

/// Converts a tensor of DLPack to a tensor of LibTorch, without a copy; LibTorch releases it.
///
/// The function owns the tensor from the call on: it also releases a tensor whose type or device LibTorch does not
/// have.
///
/// @where  on the tensor's device; pinned memory counts as the CPU's. On a GPU, work of `device::cuda()` and of
///         LibTorch has one order, since both use the default stream; with other streams, wait for the policy before
///         LibTorch reads, and for LibTorch before the last tensor is released
/// @throws precondition_error  if there is none
/// @throws c10::Error          if LibTorch has no such element type or device
/// @cost   O(1)
[[nodiscard]] inline at::Tensor to_tensor(dlpack_tensor from) {
  if (from == nullptr) {
    throw precondition_error("conversion of no tensor; a tensor of DLPack can be taken over once");
  }
  auto& told = from->dl_tensor;
  if (told.device.device_type == kDLCUDAHost) {
    told.device = {kDLCPU, 0}; // to LibTorch pinned memory is ordinary memory
  }
  if (told.data == nullptr && told.device.device_type == kDLCUDA) { // without an address, LibTorch cannot find the GPU
    at::TensorOptions const options(at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(told.device.device_id)));
    return at::empty({told.shape, static_cast<std::size_t>(told.ndim)}, options.dtype(at::toScalarType(told.dtype)));
  }
  auto made = at::fromDLPack(from.get()); // refuses before it takes over
  static_cast<void>(from.release());
  return made;
}

/// Makes a tensor that owns the elements of a buffer from now on, on the device of its policy.
///
/// @shape  elements [n] → tensor [n]
/// @throws c10::Error  if LibTorch was built without that device; likewise below
/// @cost   O(1)
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] at::Tensor to_tensor(buffer<Policy, T>&& elements) {
  return to_tensor(to_dlpack(std::move(elements)));
}

/// Makes a tensor over an array or a matrix of any policy. The tensor and its views keep `keeper`.
///
/// @shape  values [n] or [n, F] → tensor of that shape
/// @throws precondition_error  if keeper is null
/// @cost   O(1)
template <device_policy Policy, class T>
[[nodiscard]] at::Tensor to_tensor(Policy const& policy, array_view<Policy::space, T> values,
                                   std::shared_ptr<void const> keeper) {
  return to_tensor(to_dlpack(policy, values, std::move(keeper)));
}

/// Makes a tensor over a matrix of any policy.
template <device_policy Policy, class T>
[[nodiscard]] at::Tensor to_tensor(Policy const& policy, matrix_view<Policy::space, T> values,
                                   std::shared_ptr<void const> keeper) {
  return to_tensor(to_dlpack(policy, values, std::move(keeper)));
}

/// Converts a tensor of LibTorch to a tensor of DLPack, for `from_dlpack`.
///
///     auto const store = glt::from_dlpack<glt::feature_store<cpu, float>>(glt::to_dlpack(x.contiguous()));
///
/// @throws c10::Error  if DLPack has no such element type or device
/// @cost   O(1)
[[nodiscard]] inline dlpack_tensor to_dlpack(at::Tensor const& tensor) {
  return dlpack_tensor(at::toDLPack(tensor.detach()));
}

/// Returns tensors over everything in a batch by name, on the device of the policy, without a copy. Each tensor keeps
/// the whole batch alive. Kinds of batches and names are as in `to_dlpack`.
///
///     auto const tensors = glt::to_tensor(gpu, batch);
///     network->forward(tensors["features"], …);
///
/// @throws precondition_error  if batch is null
/// @throws c10::Error          if LibTorch was built without that device
/// @cost   O(L), whatever the size
template <device_policy Policy, class Batch>
  requires requires(Policy const& policy, std::shared_ptr<Batch> batch) { to_dlpack(policy, batch); }
[[nodiscard]] ::torch::OrderedDict<std::string, at::Tensor> to_tensor(Policy const& policy,
                                                                      std::shared_ptr<Batch> batch) {
  ::torch::OrderedDict<std::string, at::Tensor> tensors("Tensor");
  for (auto& [name, tensor] : to_dlpack(policy, std::move(batch))) {
    tensors.insert(std::move(name), to_tensor(std::move(tensor)));
  }
  return tensors;
}

} // namespace glt
