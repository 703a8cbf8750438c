// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/executor.hpp>
#include <glt/exec/threaded.hpp>

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if __has_include(<malloc.h>)
#include <malloc.h>
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

/// A source of memory of one space; see `device_policy`.
template <class R>
concept memory_resource = std::copyable<R> && requires(R const& r, void* to, void const* from, std::size_t bytes) {
  { r.allocate(bytes) } -> std::same_as<void*>;
  { r.deallocate(to, bytes) } noexcept;
  r.copy(to, from, bytes);
  r.copy_in(to, from, bytes);
  r.copy_out(to, from, bytes);
};

} // namespace glt::detail

namespace glt {

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

/// Memory space, memory resource and executor that belong together; a template parameter of owners.
///
/// - `P::space`: memory space of its buffers
/// - `p.executor()`: executor of work on them; reaches `P::space`
/// - `p.resource()`: source r of their memory, a small copyable handle such as `host_resource`
/// - `r.allocate(bytes)`: at least 64-byte aligned; throws `std::bad_alloc` or an error that derives from `glt::error`
/// - `r.deallocate(pointer, bytes)`: never throws
/// - `r.copy(to, from, bytes)`: inside the space; may only enqueue
/// - `r.copy_in(to, from, bytes)`: from ordinary memory, which may change afterwards, into the space; may only enqueue
/// - `r.copy_out(to, from, bytes)`: from the space to ordinary memory; returns when the bytes are there
///
/// Work that was enqueued before on the executor is done before any copy.
template <class P>
concept device_policy = std::copyable<P> && std::default_initializable<P> && requires(P const& p) {
  { P::space } -> std::convertible_to<memory_space>;
  { p.resource() } -> detail::memory_resource;
  { p.executor() } -> reaches<P::space>;
};

/// A policy whose executor is a `host_executor`: its owners may be read and written by plain loops.
template <class P>
concept host_policy = device_policy<P> && detail::host_accessible(P::space) && requires(P const& p) {
  { p.executor() } -> detail::host_executor;
};

namespace device {

/// Ordinary memory; the calling thread or a pool of threads works on it.
///
/// Concurrent calls: const members may run concurrently; work on one pool runs one piece after the other.
class cpu {
public:
  static constexpr memory_space space = memory_space::host;

  /// Uses the calling thread alone.
  cpu() = default;

  /// Makes a pool of `threads` threads, the calling one included; copies of the policy share it.
  ///
  /// @throws precondition_error  if threads < 1
  explicit cpu(int threads) : pool_(std::make_shared<detail::thread_pool>(threads)) {}

  [[nodiscard]] host_resource resource() const noexcept { return {}; }
  /// Borrows the pool, so the policy must outlive the executor.
  [[nodiscard]] exec::threaded executor() const noexcept { return pool_ ? exec::threaded(*pool_) : exec::threaded(); }

private:
  std::shared_ptr<detail::thread_pool> pool_;
};

} // namespace device
} // namespace glt
