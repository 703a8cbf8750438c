// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if __has_include(<malloc.h>)
#include <malloc.h>

#endif

namespace glt {

/// Keeps freed memory of this process for its next allocations, if the allocator is glibc's; else does nothing.
///
/// By default glibc maps large blocks and returns them to the system when they are freed. The threshold grows with the
/// blocks, to 32 MiB at most. So every step of a training clears and maps the pages of its largest tensors again. Call
/// this function once, before the first large allocation; `run_mpi_program` does so. It holds until the process ends.
///
/// Concurrent calls: none with allocations of other threads.
///
/// @return true if the allocator took it
/// @cost   the process keeps the most memory that it had at one time, apart from pages that are mapped otherwise
/// @source mallopt(3), M_MMAP_MAX, M_TRIM_THRESHOLD and M_TOP_PAD
inline bool keep_freed_memory() noexcept {
#if defined(__GLIBC__)
  constexpr int never = 2147483647;
  constexpr int taken_at_once = 64 << 20; // address space, which has no pages until it is used
  return mallopt(M_MMAP_MAX, 0) != 0 && mallopt(M_TRIM_THRESHOLD, never) != 0 && mallopt(M_TOP_PAD, taken_at_once) != 0;
#else
  return false;
#endif
}

} // namespace glt
