// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/space.hpp>
#include <glt/core/view.hpp>

#include <torch/types.h>

#include <cstdint>
#include <type_traits>

namespace glt {

/// The tensor element type that has the layout of T; other types do not compile.
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
  } else {
    static_assert(
        std::is_same_v<T, std::uint8_t>,
        "a tensor can view elements of float, double, int32_t, int64_t and uint8_t: convert others first");
    return at::kByte;
  }
}

namespace detail {

template <memory_space Space, class T>
[[nodiscard]] at::Tensor borrow_as_tensor(T* data, at::IntArrayRef shape) {
  static_assert(host_accessible(Space),
                "to_tensor views memory that the host can read: copy device memory first");
  using value = std::remove_const_t<T>;
  return at::from_blob(const_cast<value*>(data), shape, at::TensorOptions().dtype(tensor_type<value>()));
}

} // namespace detail

/// A tensor over the elements of an array, without a copy.
///
/// The tensor borrows: the array must live, and not be resized, as long as the tensor or a view of it is
/// used; `clone()` what has to stay. A tensor over const elements is for reading only: tensors know no const,
/// so nothing but this sentence keeps in-place operations away from it.
///
/// @shape  values [n] → tensor [n]
/// @cost   O(1)
template <memory_space Space, class T>
[[nodiscard]] at::Tensor to_tensor(array_view<Space, T> values) {
  return detail::borrow_as_tensor<Space>(values.data(), {values.size()});
}

/// A tensor over the elements of a matrix, without a copy; borrows like that of an array.
///
/// @shape  values [n, F] → tensor [n, F], contiguous
/// @cost   O(1)
template <memory_space Space, class T>
[[nodiscard]] at::Tensor to_tensor(matrix_view<Space, T> values) {
  return detail::borrow_as_tensor<Space>(values.data(), {values.rows(), values.columns()});
}

} // namespace glt
