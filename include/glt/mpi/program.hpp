// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/policy.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <csignal>
#include <ostream>

namespace glt {

/// Options of `run_mpi_program`.
struct mpi_program_options {
  std::string_view name = {}; ///< prefix of the text of an error
  mpi_threads threads = mpi_threads::funneled;
  mpi_comm::options_type world = {};
  bool keep_memory = true; ///< calls `keep_freed_memory`; false: freed memory goes back to the system
};

/// Runs a whole program: keeps freed memory, starts MPI, runs `work(world)` on every rank, and ends MPI.
///
///     int main() { return glt::run_mpi_program(run, out); } // out: the standard error, or a file
///
/// An exception on any rank ends the program on all of them: see `run_collectively`. Its text is written to `errors`
/// once: by rank 0, or by a rank that cannot reach the others any more and then ends the job. The stack that LibTorch
/// adds to the texts of its errors is left out.
///
/// A file that grows beyond the limit of file sizes (`ulimit -f`) is an error of writing, unless the program has a
/// handler for SIGXFSZ: the default would end the program without a text.
///
/// @comm   collective over all processes
/// @return the status for `main`: 0, or 1 after a failure
template <std::invocable<mpi_comm> Work>
[[nodiscard]] int run_mpi_program(Work work, std::ostream& errors, mpi_program_options options = {}) {
  auto const tell = [&](std::string_view text) {
    auto const head = options.name.empty() ? "" : ": ";
    text = text.substr(0, text.find("\nException raised from"));
    try { // in one piece, since other ranks write to the same terminal
      errors << detail::message(options.name, head, text, '\n') << std::flush;
    } catch (std::bad_alloc const&) {
      errors << options.name << head << text << std::endl;
    }
  };
  if (options.keep_memory) {
    static_cast<void>(keep_freed_memory()); // another allocator has its own way
  }
  if (auto const before = std::signal(SIGXFSZ, SIG_IGN); before != SIG_DFL) {
    std::signal(SIGXFSZ, before);
  }
  try {
    mpi_environment const mpi(options.threads, options.world.time_limit);
    std::optional<mpi_comm> comm;
    try {
      comm.emplace(mpi_comm::world(options.world));
      run_collectively(*comm, [&] { work(*comm); });
      return 0;
    } catch (collective_error const& failure) {
      if (comm->rank() == 0) { // all ranks have the same
        tell(failure.what());
      }
    } catch (std::exception const& failure) { // on this rank alone
      tell(failure.what());
      mpi.abort(1);
    }
  } catch (std::exception const& failure) {
    tell(failure.what());
  }
  return 1;
}

} // namespace glt
