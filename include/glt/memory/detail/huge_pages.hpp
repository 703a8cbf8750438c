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

/// Asks the system for huge pages behind memory that was not touched yet: fewer address translations.
///
/// Asks only for whole huge pages inside the memory, so that memory use does not grow. A hint: systems other than
/// Linux, and systems that refuse, keep their usual pages.
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

/// Takes huge pages now for zeroed memory that processes share, at an address of their alignment. The system's switch
/// for such memory is off by default: Linux 6.1 and later take this request all the same.
///
/// @cost   about 1 ms for 2 MiB
inline void take_huge_pages([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  advise_huge_pages(data, bytes);
  auto const whole = bytes / huge_page_bytes * huge_page_bytes;
  for (std::size_t page = 0; page < whole; page += huge_page_bytes) {
    *static_cast<std::byte volatile*>(data + page) = std::byte{0}; // a hole is not collapsed
  }
  constexpr int collapse = 25; // MADV_COLLAPSE, which older headers lack
  if (whole > 0) {
    static_cast<void>(::madvise(data, whole, collapse));
  }
#endif
}

} // namespace glt::detail
