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

// What the handler of SIGBUS looks at: a handler belongs to the process, and so does its table.
struct guarded_pages {
  std::atomic<std::byte*> begin = nullptr; // set last, null while the entry is free
  std::atomic<std::int64_t> size = 0;
  std::atomic<bool> lost = false;
};
inline std::array<guarded_pages, 1024> guarded_table;
inline std::mutex guarded_mutex; // for all but the handler
inline int num_guarded = 0;
inline struct ::sigaction handler_before;

// Zeros take the place of all pages of the mapping that an address belongs to; false if it is none.
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

// Calls nothing but the system, and allocates nothing.
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

/// While it lives, a page of a mapped file that the system cannot bring, because the file was shortened or its disk
/// fails, does not end the program by SIGBUS: all pages of the mapping become zeros, and `lost` says so.
///
/// The first guard sets the process's handler of SIGBUS and the last one sets the one before; faults elsewhere go to
/// that. Of more than 1024 mappings at a time the last ones are not guarded.
///
/// Concurrent calls: none on one object; any on different ones.
class page_guard {
public:
  /// @pre    the bytes are a mapping, and stay it while this lives; not checked
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

  /// True if zeros have taken the place of the file's bytes.
  [[nodiscard]] bool lost() const noexcept { return pages_ != nullptr && pages_->lost; }

private:
  guarded_pages* pages_ = nullptr;
};

#else

/// Guards nothing where mappings that lose their file are not known to be mended.
class page_guard {
public:
  page_guard(std::byte*, std::int64_t) {}
  [[nodiscard]] bool lost() const noexcept { return false; }
};

#endif

} // namespace glt::io::detail
