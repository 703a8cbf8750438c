// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#elif __has_include(<ATen/dlpack.h>) // LibTorch ships the same header
#include <ATen/dlpack.h>
#else
#include <missing for glt::dlpack: DLPack or LibTorch: install libdlpack-dev and link glt::dlpack, or link glt::torch> // an error that ends the compilation
#endif

namespace glt {

namespace detail {

/// Hands a tensor of DLPack back to the library that made it.
struct release_dlpack {
  void operator()(DLManagedTensor* tensor) const noexcept {
    if (tensor->deleter != nullptr) {
      tensor->deleter(tensor);
    }
  }
};

} // namespace detail

/// Owner of a tensor in the exchange format of array libraries, DLPack. Pass `release()` to functions that take a raw
/// pointer.
///
///     at::fromDLPack(glt::to_dlpack(std::move(ids)).release());
using dlpack_tensor = std::unique_ptr<DLManagedTensor, detail::release_dlpack>;

namespace detail {

/// DLPack's device type for the memory of a policy; specialise it for policies whose memory is special.
///
/// It follows the memory space, except for policies that emulate a device: their bytes are on the heap.
template <device_policy Policy>
inline constexpr DLDeviceType dlpack_device_type = [] {
  if constexpr (Policy::space == memory_space::host ||
                std::same_as<decltype(std::declval<Policy const&>().resource()), host_resource>) {
    return kDLCPU;
  } else {
    return Policy::space == memory_space::pinned ? kDLCUDAHost : kDLCUDA;
  }
}();

/// Returns DLPack's device of a policy; a policy of GPU memory gives the number of its GPU by `device()`.
template <device_policy Policy>
[[nodiscard]] DLDevice dlpack_device(Policy const& policy) {
  if constexpr (dlpack_device_type<Policy> == kDLCUDA) {
    return {kDLCUDA, static_cast<int>(policy.device())};
  } else {
    return {dlpack_device_type<Policy>, 0};
  }
}

/// Returns a device of DLPack as text, such as "GPU 1".
[[nodiscard]] inline std::string to_string(DLDevice device) {
  switch (device.device_type) {
  case kDLCPU:
    return "ordinary memory";
  case kDLCUDA:
    return message("GPU ", device.device_id);
  case kDLCUDAHost:
    return "pinned memory";
  case kDLCUDAManaged:
    return "managed memory";
  default:
    return message("device ", device.device_id, " of DLPack's type ", static_cast<int>(device.device_type));
  }
}

/// Returns true if an owner of elements on `wanted` may adopt elements on `given`: both are the same device, or `given`
/// is pinned memory, which is ordinary memory to the CPU.
[[nodiscard]] constexpr bool may_adopt(DLDevice wanted, DLDevice given) noexcept {
  if (wanted.device_type == kDLCPU) {
    return given.device_type == kDLCPU || given.device_type == kDLCUDAHost;
  }
  return wanted.device_type == given.device_type &&
         (wanted.device_type != kDLCUDA || wanted.device_id == given.device_id);
}

[[nodiscard]] constexpr DLDataType dlpack_type(element_type type) noexcept {
  auto code = kDLFloat;
  switch (type) {
  case element_type::int8:
  case element_type::int16:
  case element_type::int32:
  case element_type::int64:
    code = kDLInt;
    break;
  case element_type::uint8:
    code = kDLUInt;
    break;
  case element_type::bfloat16:
    code = kDLBfloat;
    break;
  case element_type::float16:
  case element_type::float32:
  case element_type::float64:
    break;
  }
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(type)), 1};
}

/// Returns the element type of a DLPack type; nothing for vectors, complex numbers, unsigned numbers of several bytes.
[[nodiscard]] constexpr std::optional<element_type> find_element_type(DLDataType type) noexcept {
  for (std::size_t i = 0; i < element_table.size(); ++i) {
    auto const candidate = static_cast<element_type>(i);
    auto const [code, bits, lanes] = dlpack_type(candidate);
    if (type.code == code && type.bits == bits && type.lanes == lanes) {
      return candidate;
    }
  }
  return std::nullopt;
}

/// Returns a type of DLPack as text, such as "float32" or "uint64x4".
[[nodiscard]] inline std::string to_string(DLDataType type) {
  constexpr std::array names{"int", "uint", "float", "handle", "bfloat", "complex"};
  auto const name = type.code < names.size() ? std::string(names[type.code]) : message("type ", int{type.code}, " of ");
  return message(name, int{type.bits}, type.lanes == 1 ? "" : message("x", type.lanes));
}

} // namespace detail

} // namespace glt
