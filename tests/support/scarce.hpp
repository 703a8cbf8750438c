// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace glt_test {

/// Host memory that runs out on the thread, and so on the rank, that says so.
struct scarce_resource {
  static inline thread_local std::int64_t allocations_left = -1; ///< negative: no limit
  static inline thread_local std::int64_t live_bytes = 0;        ///< of this thread
  static inline thread_local std::int64_t peak_bytes = 0;        ///< the most of these since it was set to them

  void* allocate(std::size_t bytes) const {
    if (allocations_left == 0) {
      throw std::bad_alloc();
    }
    --allocations_left;
    live_bytes += static_cast<std::int64_t>(bytes);
    peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
    return glt::host_resource{}.allocate(bytes);
  }
  void deallocate(void* pointer, std::size_t bytes) const noexcept {
    live_bytes -= static_cast<std::int64_t>(bytes);
    glt::host_resource{}.deallocate(pointer, bytes);
  }
  void copy(void* to, void const* from, std::size_t bytes) const noexcept {
    glt::host_resource{}.copy(to, from, bytes);
  }
  void copy_in(void* to, void const* from, std::size_t bytes) const noexcept {
    glt::host_resource{}.copy(to, from, bytes);
  }
  void copy_out(void* to, void const* from, std::size_t bytes) const noexcept {
    glt::host_resource{}.copy(to, from, bytes);
  }
};

/// `device::cpu` with scarce memory.
struct scarce_policy {
  static constexpr glt::memory_space space = glt::memory_space::host;
  scarce_resource resource() const { return {}; }
  glt::exec::sequential executor() const { return {}; }
};
static_assert(glt::device_policy<scarce_policy>);

} // namespace glt_test
