// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace glt::detail {

/// Copies bytes between places that do not overlap. For 0 bytes the pointers may be null, which `memcpy` forbids.
GLT_HOST_DEVICE inline void copy_bytes(void* to, void const* from, std::int64_t bytes) noexcept {
  if (bytes > 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

} // namespace glt::detail
