// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples in a `main` as those of examples/: `run_mpi_program` alone says what failed.
#include "parts.hpp"

#include <glt/mpi/program.hpp>

#include <iostream>

int main() {
  auto const run = [](glt::mpi_comm comm) {
    auto const sum = glt_fault::sample(comm);
    glt_fault::say("rank %d result %016llx", comm.rank(), static_cast<unsigned long long>(sum));
  };
  return glt::run_mpi_program(run, std::cerr, {.name = "job", .world = {.time_limit = glt_fault::time_limit()}});
}
