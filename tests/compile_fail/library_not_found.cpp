// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: missing for glt::mpi: MPI
#ifdef GLT_FAIL
#include <glt/mpi/communicator.hpp>
#else
#include <glt/comm/serial.hpp>
#endif
