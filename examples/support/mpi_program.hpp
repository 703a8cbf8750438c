// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

namespace example {

/// The first line of an error; LibTorch appends a stack trace.
inline std::string first_line(std::exception const& failure) {
  std::string const text = failure.what();
  return text.substr(0, text.find('\n'));
}

/// The whole of `main`: `run(world, parse())`, with MPI between `threads_of(options)` threads; what fails is told once.
template <class Parse, class ThreadsOf, class Run>
int run_mpi_program(char const* name, Parse parse, ThreadsOf threads_of, Run run) {
  try {
    decltype(parse()) options;
    std::exception_ptr misuse; // all ranks have it: told once, by run_collectively
    try {
      options = parse();
    } catch (glt::precondition_error const&) {
      misuse = std::current_exception();
    }
    glt::mpi_environment const mpi(threads_of(options));
    auto comm = glt::mpi_comm::world({.time_limit = std::chrono::duration<double>(options.timeout)});
    try {
      glt::run_collectively(comm, [&] {
        if (misuse) {
          std::rethrow_exception(misuse);
        }
        run(comm, options);
      });
      return 0;
    } catch (glt::collective_error const& failure) {
      if (comm.rank() == 0) { // all ranks have the same
        std::fprintf(stderr, "%s: %s\n", name, first_line(failure).c_str());
      }
      return 1;
    } catch (std::exception const& failure) { // this rank's alone: the others cannot be reached
      std::fprintf(stderr, "%s: rank %d: %s\n", name, comm.rank(), first_line(failure).c_str());
      mpi.abort(1);
    }
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s: %s\n", name, first_line(failure).c_str());
    return 1;
  }
}

} // namespace example
