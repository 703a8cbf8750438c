// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dlpack/tensor.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

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

} // namespace detail
} // namespace glt
