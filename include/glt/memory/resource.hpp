// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/memory/detail/huge_pages.hpp>

#include <cstring>
#include <new>

namespace glt {

/// A source of memory of one space; a small copyable handle.
///
/// - `r.allocate(bytes)`: at least 64-byte aligned; throws `std::bad_alloc` or an error that derives from
///   `glt::error`
/// - `r.deallocate(pointer, bytes)`: never throws
/// - `r.copy(to, from, bytes)`: inside the space; may only enqueue
/// - `r.copy_in(to, from, bytes)`: from ordinary memory, which may change afterwards, into the space; may only enqueue
/// - `r.copy_out(to, from, bytes)`: from the space to ordinary memory; returns when the bytes are there
///
/// Work that was enqueued before on the executor of the same policy is done before any copy.
template <class R>
concept memory_resource = std::copyable<R> && requires(R const& r, void* to, void const* from, std::size_t bytes) {
  { r.allocate(bytes) } -> std::same_as<void*>;
  { r.deallocate(to, bytes) } noexcept;
  r.copy(to, from, bytes);
  r.copy_in(to, from, bytes);
  r.copy_out(to, from, bytes);
};

/// Ordinary memory of the process, aligned to cache lines; from `huge_from` bytes on aligned to huge pages, for which
/// it asks the system.
struct host_resource {
  static constexpr std::align_val_t alignment{64};
  static constexpr std::size_t huge_from = detail::huge_page_bytes;

  [[nodiscard]] void* allocate(std::size_t bytes) const {
    auto* const data = ::operator new(bytes, alignment_of(bytes));
    if (bytes >= huge_from) {
      detail::advise_huge_pages(data, bytes);
    }
    return data;
  }
  void deallocate(void* pointer, std::size_t bytes) const noexcept {
    ::operator delete(pointer, alignment_of(bytes)); // with the size, clang before 19 accepts it only by an option
  }
  void copy(void* to, void const* from, std::size_t bytes) const noexcept { std::memcpy(to, from, bytes); }
  void copy_in(void* to, void const* from, std::size_t bytes) const noexcept { std::memcpy(to, from, bytes); }
  void copy_out(void* to, void const* from, std::size_t bytes) const noexcept { std::memcpy(to, from, bytes); }

private:
  static constexpr std::align_val_t alignment_of(std::size_t bytes) noexcept {
    return bytes >= huge_from ? std::align_val_t{detail::huge_page_bytes} : alignment;
  }
};

} // namespace glt
