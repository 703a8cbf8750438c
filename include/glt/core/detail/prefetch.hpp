// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>

namespace glt::detail {

// Asks for the cache line of an address that will be read soon; any address is allowed. Nothing on the device
// and where the compiler knows no such hint.
GLT_HOST_DEVICE inline void prefetch([[maybe_unused]] void const* address) noexcept {
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDA_ARCH__)
  __builtin_prefetch(address);
  asm volatile(""); // GCC takes a function that only prefetches for one without effects, and leaves out its calls
#endif
}

} // namespace glt::detail
