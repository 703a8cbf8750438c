// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/process.hpp>

#include <chrono>
#include <unistd.h>

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
/// Make it first in `main`, so that communicators and requests are gone before it ends MPI, which may take as long as
/// the longest `time_limit` of an `mpi_comm` that the program gave. Where an exception ends it, it ends the job if the
/// other ranks do not end MPI as well within that time, or within 15 s.
///
/// Concurrent calls: `abort` at any time; everything else from the thread that made it.
class mpi_environment {
public:
  /// @comm   collective over all processes
  /// @throws precondition_error  if MPI was started before, for it cannot be started twice, or time_limit is below 0
  /// @param  time_limit  seconds that MPI may wait for the other processes until all have started; 0 for ever. This
  ///                     process then ends with a last line, and thereby the job
  /// @throws error  if the MPI library does not let as many threads call it as `required`
  explicit mpi_environment(mpi_threads required = mpi_threads::funneled,
                           std::chrono::duration<double> time_limit = std::chrono::seconds(0)) {
    int initialized = 0;
    detail::check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized != 0) {
      throw precondition_error(
          "mpi_environment: MPI was started already; keep the one environment for the whole program");
    }
    if (!(time_limit.count() >= 0)) {
      throw precondition_error(
          detail::message("mpi_environment: time_limit is ", time_limit.count(), " s; pass 0 or more"));
    }
    std::optional<detail::mpi_deadline> deadline;
    if (time_limit.count() > 0) {
      detail::last_line text;
      text << "glt: process " << ::getpid() << " has waited "
           << static_cast<std::int64_t>(std::min(time_limit, detail::longest_deadline).count())
           << " s in MPI_Init, and all ranks end: another process of the job is stopped, cut off, or does "
              "not start MPI";
      deadline.emplace(time_limit, text);
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
    bool const fails = std::uncaught_exceptions() > exceptions_; // maybe on this rank alone
    auto limit = std::chrono::duration<double>(detail::longest_time_limit.load());
    if (fails && limit.count() == 0) {
      limit = failure_limit;
    }
    std::optional<detail::mpi_deadline> deadline;
    if (limit.count() > 0) {
      auto const [rank, ranks] = detail::place_in(MPI_COMM_WORLD);
      auto const time = limit + std::chrono::seconds(5); // some need a second or two with all ranks at hand
      auto waited = detail::waited_in("MPI_Finalize", time, rank, ranks);
      if (fails) {
        waited << ", with an exception on its way; guard the work of all ranks by run_collectively or "
                  "run_mpi_program";
      }
      try {
        deadline.emplace(time, rank, ranks, waited, detail::world_processes);
      } catch (std::exception const&) { // no thread can be started: then without a limit
        if (fails) {
          detail::abort_job(MPI_COMM_WORLD,
                            "an exception has left its work, and there is no memory to wait for the others");
        }
      }
    }
    MPI_Finalize();
  }

  /// Returns the thread level of the MPI library, which may exceed the required one.
  [[nodiscard]] mpi_threads threads() const noexcept { return threads_; }

  /// Ends all processes at once: for cases where other ranks may wait for ever, as after a `library_error`.
  [[noreturn]] void abort(int status) const noexcept { detail::end_job(MPI_COMM_WORLD, status); }

private:
  static constexpr std::chrono::seconds failure_limit{10};

  mpi_threads threads_{};
  int exceptions_ = std::uncaught_exceptions();
};

} // namespace glt
