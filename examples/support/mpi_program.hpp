// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "standard_output.hpp"

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

namespace example {

/// The whole of `main`: `run(world, options)` with what the command line asks for, with MPI between `threads_of(options)`
/// threads. The first rank tells help and mistakes.
template <class Options, class ThreadsOf, class Run>
int run_mpi_program(char const* name, int argc, char** argv, ThreadsOf threads_of, Run run) {
  Options options;
  CLI::App app("", name);
  declare(app, options);
  std::string help;
  std::exception_ptr misuse; // all ranks have it
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const&) {
    help = app.help();
  } catch (CLI::ParseError const&) {
    misuse = std::current_exception();
  }
  return glt::run_mpi_program(
      [&](glt::mpi_comm const& comm) {
        if (misuse) {
          std::rethrow_exception(misuse);
        }
        if (help.empty()) {
          run(comm, options);
        } else if (comm.rank() == 0) {
          std::printf("%s", help.c_str());
        }
        flush_output();
      },
      std::cerr,
      {.name = name,
       .threads = threads_of(options),
       .world = {.time_limit = std::chrono::duration<double>(options.timeout)}});
}

} // namespace example
