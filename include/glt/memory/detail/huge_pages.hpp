// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace glt::detail {

/// Size and alignment of a huge page.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Asks the system for huge pages behind memory that was not touched yet: fewer translations to look up.
///
/// Only whole huge pages inside the memory are asked for, so that none is larger than what was allocated. A
/// hint: systems other than Linux, and those that refuse, keep their usual pages.
inline void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  auto const begin = reinterpret_cast<std::uintptr_t>(data);
  auto const before_first = (huge_page_bytes - begin % huge_page_bytes) % huge_page_bytes;
  if (bytes >= before_first + huge_page_bytes) {
    auto const whole = (bytes - before_first) / huge_page_bytes * huge_page_bytes;
    static_cast<void>(::madvise(static_cast<std::byte*>(data) + before_first, whole, MADV_HUGEPAGE));
  }
#endif
}

} // namespace glt::detail
