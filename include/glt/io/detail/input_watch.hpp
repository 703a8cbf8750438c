// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

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

/// Input files and their states at opening. A job that reads them more than once, or piece by piece, checks that they
/// are unchanged before it uses its result.
///
/// Concurrent calls: `check` may run concurrently with itself.
class input_watch {
public:
  /// Watches a file, which must not change from now on. Waits briefly if the file was changed just before, so that a
  /// change right now shows.
  ///
  /// @throws io_error  if the system does not report the file's state
  void add(input_file const& file) {
    auto state = file.state();
    for (int attempt = 0; attempt < 5 && is_fresh(state); ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      state = file.state();
    }
    files_.push_back({file.path(), state, nullptr});
  }
  /// @throws io_error  as `input_file`, and as for an open file
  void add(std::filesystem::path const& path) { add(input_file(path)); }

  /// Guards the mapping of the file that was added last; call `release` before the mapping ends.
  ///
  /// @pre    a file was added; not checked
  void guard(std::byte* begin, std::int64_t size) {
    files_.back().guard = std::make_unique<page_guard>(begin, size);
    files_.back().begin = begin;
  }
  /// Ends the guard of a mapping and keeps its record of lost pages.
  void release(std::byte* begin) noexcept {
    auto const found = std::ranges::find(files_, begin, &watched::begin);
    if (found != files_.end()) {
      found->lost = found->guard->lost();
      found->guard.reset();
      found->begin = nullptr;
    }
  }

  /// @throws io_error  naming the first file that was changed, replaced or shortened, or could not be read, since it
  ///                   was added
  /// @cost   one system call a file
  void check() const {
    for (auto const& file : files_) {
      auto const now = state_of(file.path);
      if (!now || *now != file.before) {
        throw io_error(file.path.string(), 0,
                       "was changed while it was read: " + describe_change(file.before, now) +
                           "; leave input files alone until the work is over, and start again");
      }
      if (file.lost || (file.guard && file.guard->lost())) {
        throw io_error(
            file.path.string(), 0,
            "could not be read, though it was not changed: its disk fails; copy it elsewhere, and start again");
      }
    }
  }

private:
  struct watched {
    std::filesystem::path path;
    file_state before;
    std::byte* begin;
    std::unique_ptr<page_guard> guard{};
    bool lost = false;
  };
  std::vector<watched> files_;
};

/// Checks that watched files, if any, are unchanged.
///
/// @throws io_error  as `input_watch::check`
inline void check_inputs(input_watch const* inputs) {
  if (inputs != nullptr) {
    inputs->check();
  }
}

/// Runs `work` on watched files, if any. If `work` fails and a file was changed, throws the change instead.
///
/// @throws io_error  as `input_watch::check`; also any exception of `work`
template <class Work>
void with_inputs(input_watch const* inputs, Work work) {
  try {
    work();
  } catch (...) {
    check_inputs(inputs);
    throw;
  }
  check_inputs(inputs);
}

} // namespace glt::io::detail
