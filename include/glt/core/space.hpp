// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace glt {

/// Memory space: kind of memory in which bytes live.
enum class memory_space {
  host,   ///< ordinary memory of the process
  pinned, ///< page-locked host memory that a GPU reads in place (zero copy)
  device  ///< memory of a GPU
};

namespace detail {

/// Returns true if the host may dereference pointers into `space`.
[[nodiscard]] constexpr bool host_accessible(memory_space space) noexcept {
  return space != memory_space::device;
}

/// Returns true if a GPU may dereference pointers into `space`.
[[nodiscard]] constexpr bool device_accessible(memory_space space) noexcept {
  return space != memory_space::host;
}

} // namespace detail

} // namespace glt
