// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>

#if defined(__linux__)
#include <csignal>
#include <sys/mman.h>
#endif

namespace glt::io::detail {

#if defined(__linux__)

// Table entry that the handler of SIGBUS reads. A handler belongs to the process, and so does its table.
struct guarded_pages {
  std::atomic<std::byte*> begin = nullptr; // set last, null while the entry is free
  std::atomic<std::int64_t> size = 0;
  std::atomic<bool> lost = false;
};
inline std::array<guarded_pages, 1024> guarded_table;
inline std::mutex guarded_mutex; // for all accesses but the handler's
inline int num_guarded = 0;
inline struct ::sigaction handler_before;

// Replaces all pages of the mapping that holds an address by zeros; false if no guarded mapping holds it.
inline bool give_zeros(std::byte* address) noexcept {
  for (auto& pages : guarded_table) {
    auto* const begin = pages.begin.load();
    auto const size = pages.size.load();
    if (begin == nullptr || address < begin || address >= begin + size || pages.begin.load() != begin) {
      continue;
    }
    pages.lost = true;
    return ::mmap(begin, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  }
  return false;
}

// Makes system calls only, and allocates nothing.
inline void on_bus_error(int signal, ::siginfo_t* info, void*) noexcept {
  int const kept = errno;
  if (info->si_code <= 0 || !give_zeros(static_cast<std::byte*>(info->si_addr))) {
    ::sigaction(signal, &handler_before, nullptr); // the access is repeated, and fails as without guards
    if (info->si_code <= 0) {
      ::raise(signal);
    }
  }
  errno = kept;
}

/// Guard of a mapped file against SIGBUS, which occurs if the file was shortened or its disk fails. Instead, all pages
/// of the mapping become zeros, and `lost` returns true.
///
/// The first guard sets the process's handler of SIGBUS, and the last one restores the previous handler. Faults
/// elsewhere go to the previous handler. At most 1024 mappings are guarded at a time.
///
/// Concurrent calls: none on one object; any on different ones.
class page_guard {
public:
  /// @pre    the bytes are a mapping for as long as the guard lives; not checked
  page_guard(std::byte* begin, std::int64_t size) {
    std::scoped_lock const lock(guarded_mutex);
    for (auto& pages : guarded_table) {
      if (pages.begin.load() == nullptr) {
        pages.lost = false;
        pages.size = size;
        pages.begin = begin;
        pages_ = &pages;
        break;
      }
    }
    if (pages_ != nullptr && num_guarded++ == 0) {
      struct ::sigaction action{};
      action.sa_sigaction = on_bus_error;
      action.sa_flags = SA_SIGINFO;
      ::sigemptyset(&action.sa_mask);
      ::sigaction(SIGBUS, &action, &handler_before);
    }
  }
  page_guard(page_guard const&) = delete;
  page_guard& operator=(page_guard const&) = delete;
  ~page_guard() {
    std::scoped_lock const lock(guarded_mutex);
    if (pages_ != nullptr) {
      pages_->begin = nullptr;
      struct ::sigaction now{};
      if (--num_guarded == 0 && ::sigaction(SIGBUS, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
          now.sa_sigaction == on_bus_error) {
        ::sigaction(SIGBUS, &handler_before, nullptr);
      }
    }
  }

  /// True if zeros have replaced the file's bytes.
  [[nodiscard]] bool lost() const noexcept { return pages_ != nullptr && pages_->lost; }

private:
  guarded_pages* pages_ = nullptr;
};

#else

/// Guard without effect, for systems on which lost mappings are not known to be repairable.
class page_guard {
public:
  page_guard(std::byte*, std::int64_t) {}
  [[nodiscard]] bool lost() const noexcept { return false; }
};

#endif

} // namespace glt::io::detail
