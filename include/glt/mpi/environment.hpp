// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/mpi/detail/abort.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/error.hpp>

namespace glt {

/// Which threads of a process may call MPI.
enum class mpi_threads : int {
  single = MPI_THREAD_SINGLE,         ///< there is only one
  funneled = MPI_THREAD_FUNNELED,     ///< the one that made the environment
  serialized = MPI_THREAD_SERIALIZED, ///< any, one at a time
  multiple = MPI_THREAD_MULTIPLE,     ///< all at once
};

/// Starts MPI for the life of this object; a program has at most one.
///
/// Make it first in `main`, so that communicators and requests are gone before it ends MPI.
///
/// Concurrent calls: `abort` at any time; everything else from the thread that made it.
class mpi_environment {
public:
  /// @comm   collective over all processes
  /// @throws precondition_error  if MPI was started before; it cannot be started twice
  /// @throws error  if the MPI library does not let as many threads call it as `required`
  explicit mpi_environment(mpi_threads required = mpi_threads::funneled) {
    int initialized = 0;
    detail::check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized != 0) {
      throw precondition_error(
          "mpi_environment: MPI was started already; keep the one environment for the whole program");
    }
    int provided = MPI_THREAD_SINGLE;
    detail::check_mpi(MPI_Init_thread(nullptr, nullptr, static_cast<int>(required), &provided),
                      "MPI_Init_thread");
    if (provided < static_cast<int>(required)) {
      MPI_Finalize();
      throw error(detail::message("mpi_environment: this MPI library offers thread level ", provided,
                                  ", but ", static_cast<int>(required),
                                  " is required; use an MPI built with thread support"));
    }
    threads_ = static_cast<mpi_threads>(provided);
    detail::check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  mpi_environment(mpi_environment const&) = delete;
  mpi_environment& operator=(mpi_environment const&) = delete;
  ~mpi_environment() {
    if (detail::mpi_is_running()) {
      MPI_Finalize();
    }
  }

  /// What the MPI library provides; at least what was required.
  [[nodiscard]] mpi_threads threads() const noexcept { return threads_; }

  /// Ends all processes at once: the way out where other ranks may wait for ever, as after an `mpi_error`.
  [[noreturn]] void abort(int status) const noexcept {
    detail::end_job(MPI_COMM_WORLD, status);
  }

private:
  mpi_threads threads_{};
};

} // namespace glt
