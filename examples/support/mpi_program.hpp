// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <chrono>
#include <exception>
#include <iostream>

namespace example {

/// The whole of `main`: `run(world, parse())`, with MPI between `threads_of(options)` threads; what fails is told once.
template <class Parse, class ThreadsOf, class Run>
int run_mpi_program(char const* name, Parse parse, ThreadsOf threads_of, Run run) {
  decltype(parse()) options;
  std::exception_ptr misuse; // all ranks have it: told once, by one of them
  try {
    options = parse();
  } catch (glt::precondition_error const&) {
    misuse = std::current_exception();
  }
  return glt::run_mpi_program(
      [&](glt::mpi_comm const& comm) {
        if (misuse) {
          std::rethrow_exception(misuse);
        }
        run(comm, options);
      },
      std::cerr,
      {.name = name,
       .threads = threads_of(options),
       .world = {.time_limit = std::chrono::duration<double>(options.timeout)}});
}

} // namespace example
