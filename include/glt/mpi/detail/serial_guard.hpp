// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>

#include <atomic>
#include <mutex>

namespace glt::detail {

/// Lock that lets one thread of this process at a time call MPI, if MPI was started as `mpi_threads::serialized`;
/// otherwise it does nothing.
///
/// Calls that wait for other ranks must not keep it: they start a request and test it, turn by turn. Making and freeing
/// communicators has no such form.
class serial_guard {
public:
  serial_guard() {
    if (is_needed()) {
      hold_ = std::unique_lock(of_process().lock);
    }
  }

  [[nodiscard]] static bool is_needed() noexcept { return of_process().needed.load(std::memory_order_relaxed); }

  /// Asks MPI, which is running, for its thread level.
  static void ask() noexcept {
    int level = MPI_THREAD_MULTIPLE;
    of_process().needed = MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_SERIALIZED;
  }

private:
  struct state {
    std::recursive_mutex lock; // communicators are freed within calls
    std::atomic<bool> needed = false;
  };
  static state& of_process() noexcept {
    static state all;
    return all;
  }

  std::unique_lock<std::recursive_mutex> hold_;
};

} // namespace glt::detail
