// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace glt {

/// Where bytes live.
enum class memory_space {
  host,   ///< ordinary memory of the process
  pinned, ///< page-locked host memory that a GPU reads in place (zero copy)
  device  ///< memory of a GPU
};

/// True if the host may dereference pointers into `space`.
[[nodiscard]] constexpr bool host_accessible(memory_space space) noexcept {
  return space != memory_space::device;
}

namespace detail {

/// True if a GPU may dereference pointers into `space`.
[[nodiscard]] constexpr bool device_accessible(memory_space space) noexcept {
  return space != memory_space::host;
}

} // namespace detail

} // namespace glt
