// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples as often as its argument says.
#include "parts.hpp"

#include <cstdlib>

int main(int argc, char** argv) {
  long const times = argc > 1 ? std::atol(argv[1]) : 1;
  return glt_fault::run_job([times](glt::mpi_comm comm) { return glt_fault::sample(comm, times); });
}
