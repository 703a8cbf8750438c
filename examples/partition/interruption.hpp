// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/atomic_folder.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace glt_partition {

/// True if this process has a folder open, as one has that works in an `atomic_folder`.
inline bool has_open(std::filesystem::path const& folder) {
  struct ::stat wanted{};
  if (::stat(folder.c_str(), &wanted) != 0) {
    return false;
  }
  constexpr long most = 65536;
  auto const end = std::min(::sysconf(_SC_OPEN_MAX), most);
  for (int descriptor = 0; descriptor < end; ++descriptor) {
    struct ::stat open{};
    if (::fstat(descriptor, &open) == 0 && open.st_ino == wanted.st_ino && open.st_dev == wanted.st_dev) {
      return true;
    }
  }
  return false;
}

/// Removes a folder in which others may still be writing.
inline void remove_stubbornly(std::filesystem::path const& folder) {
  for (int attempt = 0; attempt < 50 && !glt::io::detail::remove_marked(folder); ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Removes what this process has under way beside `out`. A folder loses its name first: it is then either complete
/// under its own name, or never will be: what the program makes below it fails from then on (`make_folders`).
inline void remove_unfinished(std::filesystem::path const& out) {
  for (auto const& path : glt::io::detail::list_beside(out)) {
    if (has_open(path)) {
      std::error_code fault;
      std::filesystem::path const removed = path.string() + ".removed";
      std::filesystem::rename(path, removed, fault);
      remove_stubbornly(fault ? path : removed);
    }
  }
}

/// While it lives, signals that ask the program to end do so only when what it has under way is removed; those that it
/// was started to ignore (nohup) stay ignored. A file beyond the limit of its length, and a reader of the output that
/// is gone, are errors of writing.
///
/// To be made before any other thread starts. Concurrent calls: none on one object.
class interruption {
public:
  explicit interruption(std::filesystem::path out) : out_(std::move(out)) {
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals_);
    for (auto const& [signal, name] : ending) {
      struct ::sigaction before{};
      if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaddset(&signals_, signal);
      }
    }
    sigaddset(&signals_, SIGUSR2); // which the destructor sends
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waits_ = std::thread([this] { wait(); });
  }
  interruption(interruption const&) = delete;
  interruption& operator=(interruption const&) = delete;
  ~interruption() {
    over_ = true;
    pthread_kill(waits_.native_handle(), SIGUSR2);
    waits_.join();
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }

  /// Does not return if the program is about to end: an error that it meets now is none to report.
  void stop_if_ending() const {
    while (ending_) {
      ::pause();
    }
  }

private:
  // Signals that end a program by default; of a terminal that goes away, and of schedulers, too.
  static constexpr std::array<std::pair<int, char const*>, 8> ending{{{SIGHUP, "SIGHUP"},
                                                                      {SIGINT, "SIGINT"},
                                                                      {SIGQUIT, "SIGQUIT"},
                                                                      {SIGTERM, "SIGTERM"},
                                                                      {SIGALRM, "SIGALRM"},
                                                                      {SIGXCPU, "SIGXCPU"},
                                                                      {SIGUSR1, "SIGUSR1"},
                                                                      {SIGUSR2, "SIGUSR2"}}};

  void wait() {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (over_) {
      return;
    }
    ending_ = true;
    std::scoped_lock const no_more_folders(glt::io::detail::making_of_folders);
    try {
      remove_unfinished(out_);
    } catch (...) { // the next run does it
    }
    std::fprintf(stderr, "glt-partition: ended by %s\n",
                 std::ranges::find(ending, signal, &std::pair<int, char const*>::first)->second);
    std::fflush(stderr);
    std::signal(signal, SIG_DFL);
    ::kill(::getpid(), signal);
    sigset_t one{};
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    ::_exit(128 + signal);
  }

  std::filesystem::path out_;
  sigset_t signals_{};
  std::atomic<bool> over_ = false;
  std::atomic<bool> ending_ = false;
  std::thread waits_;
};

} // namespace glt_partition
