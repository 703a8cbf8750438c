// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/dlpack/tensor.hpp>
#include <glt/feature/feature_store.hpp>

namespace glt {

namespace detail {

/// Returns the number of elements of a shape; refuses a negative size, and bytes that do not fit 64 bits.
[[nodiscard]] inline std::int64_t checked_elements(std::span<std::int64_t const> shape, std::int64_t element_bytes) {
  std::int64_t count = 1;
  bool empty = false;
  for (auto const size : shape) {
    if (size < 0) {
      throw precondition_error(message("import of a tensor of shape ", shape_text(shape), "; sizes are 0 or more"));
    }
    empty = empty || size == 0;
  }
  for (auto const size : empty ? std::span<std::int64_t const>() : shape) {
    if (size > std::numeric_limits<std::int64_t>::max() / element_bytes / count) {
      throw precondition_error(
          message("import of a tensor of shape ", shape_text(shape), "; its size in bytes does not fit 64 bits"));
    }
    count *= size;
  }
  return empty ? 0 : count;
}

/// Returns true if rows follow each other without gaps; the stride of a dimension of one element does not matter.
[[nodiscard]] inline bool row_major(std::span<std::int64_t const> shape, std::int64_t const* strides) noexcept {
  std::int64_t expected = 1;
  for (auto dimension = shape.size(); dimension-- > 0;) {
    if (shape[dimension] != 1 && strides[dimension] != expected) {
      return false;
    }
    expected *= shape[dimension];
  }
  return true;
}

/// Returns the address of the first of `count` elements of a tensor; refuses an impossible or misaligned one.
template <class T>
[[nodiscard]] T* checked_address(DLTensor const& tensor, std::int64_t count) {
  if (count == 0) {
    return nullptr;
  }
  if (tensor.data == nullptr) {
    throw precondition_error(
        message("import of a tensor of ", count, " elements at no address; its maker has to give one"));
  }
  auto const address = reinterpret_cast<std::uintptr_t>(tensor.data);
  auto const bytes = static_cast<std::uintptr_t>(count) * sizeof(T);
  auto const largest = std::numeric_limits<std::uintptr_t>::max();
  if (tensor.byte_offset > largest - address || bytes > largest - address - tensor.byte_offset) {
    throw precondition_error(message("import of a tensor that begins ", tensor.byte_offset,
                                     " bytes behind its address; no memory reaches so far"));
  }
  if ((address + tensor.byte_offset) % alignof(T) != 0) {
    throw precondition_error(message("import of a tensor whose elements of ", sizeof(T),
                                     " bytes begin at an address that is no multiple of ", alignof(T), " (byte_offset ",
                                     tensor.byte_offset, "); copy it before"));
  }
  return reinterpret_cast<T*>(static_cast<std::byte*>(tensor.data) + tensor.byte_offset);
}

/// Adopted elements of a tensor, and its shape.
template <device_policy Policy, class T>
struct imported {
  std::array<std::int64_t, 2> shape{};
  buffer<Policy, T> elements;
};

template <device_policy Policy, class T>
[[nodiscard]] imported<Policy, T> import_tensor(dlpack_tensor from, int dimensions, Policy policy) {
  if (from == nullptr) {
    throw precondition_error("import of no tensor; a tensor of DLPack can be imported once");
  }
  auto const& tensor = from->dl_tensor;
  if (find_element_type(tensor.dtype) != element_type_of<T>) {
    throw precondition_error(message("import of a tensor of ", to_string(tensor.dtype), " as ",
                                     name_of(element_type_of<T>), "; convert it before, or import it as what it is"));
  }
  if (auto const wanted = dlpack_device(policy); !may_adopt(wanted, tensor.device)) {
    throw precondition_error(message("import of a tensor in ", to_string(tensor.device), " by a policy of ",
                                     to_string(wanted), "; move it there before, or choose another policy"));
  }
  if (tensor.ndim != dimensions) {
    throw precondition_error(message("import of a tensor of ", tensor.ndim, " dimensions where ", dimensions,
                                     dimensions == 1 ? " is" : " are", " wanted; reshape it before"));
  }
  if (tensor.shape == nullptr) {
    throw precondition_error("import of a tensor without a shape; its maker has to give one");
  }
  imported<Policy, T> made;
  std::copy_n(tensor.shape, dimensions, made.shape.begin());
  std::span<std::int64_t const> const shape(tensor.shape, static_cast<std::size_t>(dimensions));
  auto const count = checked_elements(shape, sizeof(T));
  if (count > 0 && tensor.strides != nullptr && !row_major(shape, tensor.strides)) {
    throw precondition_error(message("import of a tensor of shape ", shape_text(shape), " with strides ",
                                     shape_text({tensor.strides, shape.size()}),
                                     "; make it contiguous, row by row, before"));
  }
  auto* const data = checked_address<T>(tensor, count);
  made.elements =
      buffer<Policy, T>::adopt(data, count, std::shared_ptr<DLManagedTensor>(std::move(from)), std::move(policy));
  return made;
}

} // namespace detail

/// Makes a buffer over the elements of a tensor of one dimension, without a copy; the tensor is released with it.
///
/// The function owns the tensor from the call on: it also releases a tensor that it refuses.
///
/// @shape  tensor [n] → buffer [n]
/// @where  the tensor's elements are on the policy's device; their maker's enqueued work is done, or on the same queue
/// @throws precondition_error  if there is no tensor, its elements are not T, it is on another device, is not of one
///         dimension, has gaps, or contradicts itself
/// @cost   O(1)
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] buffer<Policy, T> from_dlpack(dlpack_tensor tensor, Policy policy = {}) {
  return detail::import_tensor<Policy, T>(std::move(tensor), 1, std::move(policy)).elements;
}

/// Makes a feature store over the rows of a tensor of two dimensions, without a copy.
///
///     auto const store = glt::from_dlpack<glt::feature_store<cpu, float>>(glt::to_dlpack(x.contiguous()));
///
/// @shape  tensor [V, F], row-major → features of V vertices
/// @throws precondition_error  as above, for two dimensions
/// @cost   O(1)
template <class Store>
  requires std::same_as<Store, feature_store<typename Store::policy_type, typename Store::value_type>>
[[nodiscard]] Store from_dlpack(dlpack_tensor tensor, typename Store::policy_type policy = {}) {
  auto made = detail::import_tensor<typename Store::policy_type, typename Store::value_type>(std::move(tensor), 2,
                                                                                             std::move(policy));
  return {made.shape[0], made.shape[1], std::move(made.elements)};
}

} // namespace glt
