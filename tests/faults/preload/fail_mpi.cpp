// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded, makes an MPI call of a program return MPI_ERR_OTHER instead of doing anything: see plan.hpp. Through the
// profiling interface, so built with the headers of the MPI that the program uses. Starting, ending, and asking whether
// MPI runs do not fail.
#include "plan.hpp"

#include <mpi.h>

namespace {

glt_fault::plan events;

__attribute__((constructor)) void start() {
  events.prepare();
}
__attribute__((destructor)) void finish() {
  events.finish();
}

} // namespace

extern "C" {

void glt_fault_arm() {
  events.arm();
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int const code = PMPI_Init_thread(argc, argv, required, provided);
  events.arm_after_mpi();
  return code;
}

#define GLT_MPI_CALL(name, parameters, arguments)                                                                      \
  int MPI_##name parameters {                                                                                          \
    return events.fails() ? MPI_ERR_OTHER : PMPI_##name arguments;                                                     \
  }

#define GLT_MPI_POLLING(name, parameters, arguments)                                                                   \
  int MPI_##name parameters {                                                                                          \
    return events.fails_polling() ? MPI_ERR_OTHER : PMPI_##name arguments;                                             \
  }

#include "mpi_calls.hpp"

} // extern "C"
