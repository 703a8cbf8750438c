// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glt-partition: divides a data set into parts on disk; under mpirun all ranks divide it together.
#include "command_line.hpp"
#include "interruption.hpp"
#include "last_words.hpp"
#include "launcher.hpp"
#include "options.hpp"
#include "run.hpp"

#if GLT_PARTITION_MPI
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#endif
#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace {

// `ranks` are those that MPI sees, 0 without MPI.
template <class Comm>
int run_on(Comm comm, int ranks, glt_partition::options const& chosen, glt_partition::interruption const& interrupted) {
  try {
    glt_partition::check_launcher(glt_partition::launched_ranks(), ranks);
    glt::run_collectively(comm, [&] { glt_partition::run(comm, chosen); });
    return 0;
  } catch (glt::collective_error const& failure) {
    interrupted.stop_if_ending();
    if (comm.rank() == 0) {
      std::fprintf(stderr, "glt-partition: %s\n", comm.size() > 1 ? failure.what() : failure.cause().c_str());
    }
  } catch (std::exception const& failure) {
    interrupted.stop_if_ending();
    std::fprintf(stderr, "glt-partition: %s\n", failure.what());
  }
  return 1;
}

// Launchers of MPI tell the processes that they start; MPI is not started for a process without one.
[[maybe_unused]] bool has_launcher() {
  auto const names = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MPI_LOCALRANKID"};
  return std::ranges::any_of(names, [](char const* name) { return std::getenv(name) != nullptr; });
}

} // namespace

int main(int argc, char** argv) {
  std::set_terminate(glt_partition::say_last_words);
  glt_partition::options chosen;
  CLI::App app;
  glt_partition::declare(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& fault) {
    auto const status = app.exit(fault) == 0 ? 0 : 2;
    return std::cout.flush() ? status : 1;
  }
  glt_partition::interruption const interrupted(chosen.out);
#if GLT_PARTITION_MPI
  if (has_launcher()) {
    std::chrono::duration<double> const limit(chosen.timeout);
    glt::mpi_environment const environment(glt::mpi_threads::funneled, limit);
    auto const world = glt::mpi_comm::world({.time_limit = limit});
    glt_partition::this_place = {.rank = world.rank(), .ranks = world.size()};
    return run_on(world, world.size(), chosen, interrupted);
  }
  constexpr int ranks = 1;
#else
  constexpr int ranks = 0;
#endif
  return run_on(glt::serial_comm(), ranks, chosen, interrupted);
}
