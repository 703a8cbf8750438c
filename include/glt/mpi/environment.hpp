// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/mpi/detail/abort.hpp>
#include <glt/mpi/detail/api.hpp>
#include <glt/mpi/detail/deadline.hpp>
#include <glt/mpi/error.hpp>

#include <chrono>
#include <exception>
#include <optional>

namespace glt {

/// Threads of a process that may call MPI.
enum class mpi_threads : int {
  single = MPI_THREAD_SINGLE,         ///< the only thread
  funneled = MPI_THREAD_FUNNELED,     ///< the thread that made the environment
  serialized = MPI_THREAD_SERIALIZED, ///< any thread, one at a time; the threads of glt take turns
  multiple = MPI_THREAD_MULTIPLE,     ///< all threads at once
};

/// Starts MPI for the lifetime of this object; a program has at most one.
///
/// Make it first in `main`, so that communicators and requests are gone before it ends MPI. Its end may take as long as
/// the longest `mpi_options::time_limit` of the program.
///
/// Concurrent calls: `abort` at any time; everything else from the thread that made it.
class mpi_environment {
public:
  /// @comm   collective over all processes
  /// @throws precondition_error  if MPI was started before; it cannot be started twice
  /// @throws error  if the MPI library does not provide the thread level `required`
  explicit mpi_environment(mpi_threads required = mpi_threads::funneled) {
    int initialized = 0;
    detail::check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized != 0) {
      throw precondition_error(
          "mpi_environment: MPI was started already; keep the one environment for the whole program");
    }
    int provided = MPI_THREAD_SINGLE;
    detail::check_mpi(MPI_Init_thread(nullptr, nullptr, static_cast<int>(required), &provided), "MPI_Init_thread");
    if (provided < static_cast<int>(required)) {
      MPI_Finalize();
      throw error(detail::message("mpi_environment: this MPI library offers thread level ", provided, ", but ",
                                  static_cast<int>(required), " is required; use an MPI built with thread support"));
    }
    threads_ = static_cast<mpi_threads>(provided);
    detail::check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  mpi_environment(mpi_environment const&) = delete;
  mpi_environment& operator=(mpi_environment const&) = delete;
  ~mpi_environment() {
    if (!detail::mpi_is_running()) {
      return;
    }
    std::optional<detail::mpi_deadline> deadline;
    if (std::chrono::duration<double> const limit(detail::longest_time_limit.load()); limit.count() > 0) {
      auto const [rank, ranks] = detail::place_in(MPI_COMM_WORLD);
      try {
        auto const time = limit + std::chrono::seconds(5); // some ranks need a second or two even if all are ready
        deadline.emplace(time, rank, ranks, detail::waited_in("MPI_Finalize", time, rank, ranks));
      } catch (std::exception const&) { // no thread can be started: then there is no limit
      }
    }
    MPI_Finalize();
  }

  /// Returns the thread level of the MPI library, which may exceed the required one.
  [[nodiscard]] mpi_threads threads() const noexcept { return threads_; }

  /// Ends all processes at once: for cases where other ranks may wait for ever, as after an `mpi_error`.
  [[noreturn]] void abort(int status) const noexcept { detail::end_job(MPI_COMM_WORLD, status); }

private:
  mpi_threads threads_{};
};

} // namespace glt
