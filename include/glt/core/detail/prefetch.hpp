// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

// Prefetches the cache line of an address that will be read soon; any address is allowed. Does nothing on the device,
// or if the compiler has no such hint.
GLT_HOST_DEVICE inline void prefetch([[maybe_unused]] void const* address) noexcept {
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDA_ARCH__)
  __builtin_prefetch(address);
  asm volatile(""); // GCC otherwise removes calls of a function that only prefetches
#endif
}

} // namespace glt::detail
