// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dlpack/detail/device.hpp>
#include <glt/dlpack/detail/element_type.hpp>
#include <glt/dlpack/tensor.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

/// Tensor of DLPack and the objects to which it points.
template <std::size_t Dimensions>
struct kept_tensor {
  DLManagedTensor managed{};
  std::array<std::int64_t, Dimensions> shape;
  std::array<std::int64_t, Dimensions> strides;
  std::shared_ptr<void const> keeper;

  static void release(DLManagedTensor* tensor) noexcept { delete static_cast<kept_tensor*>(tensor->manager_ctx); }
};

template <device_policy Policy, class T, std::size_t Dimensions>
[[nodiscard]] dlpack_tensor keep_tensor(Policy const& policy, T* data, std::array<std::int64_t, Dimensions> shape,
                                        std::shared_ptr<void const> keeper) {
  if (keeper == nullptr) {
    throw precondition_error(
        "export of a tensor without a keeper; give an object that keeps its elements, or move a buffer in");
  }
  auto made = std::make_unique<kept_tensor<Dimensions>>();
  made->shape = shape;
  std::int64_t stride = 1;
  for (auto dimension = Dimensions; dimension-- > 0;) {
    made->strides[dimension] = stride;
    stride *= shape[dimension];
  }
  made->keeper = std::move(keeper);
  made->managed = {.dl_tensor = {.data = const_cast<std::remove_const_t<T>*>(data),
                                 .device = dlpack_device(policy),
                                 .ndim = static_cast<int>(Dimensions),
                                 .dtype = dlpack_type(element_type_of<std::remove_const_t<T>>),
                                 .shape = made->shape.data(),
                                 .strides = made->strides.data(),
                                 .byte_offset = 0},
                   .manager_ctx = made.get(),
                   .deleter = &kept_tensor<Dimensions>::release};
  return dlpack_tensor(&made.release()->managed);
}

} // namespace detail

/// Makes a tensor over elements that `keeper` keeps, without a copy; releases the keeper when its user is done. If the
/// elements outlive the user anyway, pass any shared pointer that is not null.
///
/// This version of DLPack has no const: a tensor over const elements is only for reading.
///
/// @shape  values [n] → tensor [n]
/// @where  on the device of the policy; does not wait for enqueued work: a user with another queue waits before it
///         reads, and is done reading before it releases the tensor
/// @throws precondition_error  if keeper is null
/// @cost   O(1)
template <device_policy Policy, class T>
[[nodiscard]] dlpack_tensor to_dlpack(Policy const& policy, array_view<Policy::space, T> values,
                                      std::shared_ptr<void const> keeper) {
  return detail::keep_tensor(policy, values.data(), std::array{values.size()}, std::move(keeper));
}

/// Makes a tensor over the elements of a matrix.
///
/// @shape  values [n, F] → tensor [n, F], row-major
template <device_policy Policy, class T>
[[nodiscard]] dlpack_tensor to_dlpack(Policy const& policy, matrix_view<Policy::space, T> values,
                                      std::shared_ptr<void const> keeper) {
  return detail::keep_tensor(policy, values.data(), std::array{values.rows(), values.columns()}, std::move(keeper));
}

/// Makes a tensor that owns the elements of a buffer from now on.
///
/// @shape  elements [n] → tensor [n]
/// @where  as above
/// @cost   O(1)
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] dlpack_tensor to_dlpack(buffer<Policy, T>&& elements) {
  auto const kept = std::make_shared<buffer<Policy, T>>(std::move(elements));
  return to_dlpack(kept->policy(), kept->view(), kept);
}

} // namespace glt
