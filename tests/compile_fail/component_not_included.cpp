// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: 'glt::mpi_comm' has not been declared|no member named 'mpi_comm' in namespace 'glt'
#include <glt/comm/serial.hpp>

#ifdef GLT_FAIL
int bad = glt::mpi_comm::world().rank(); // of <glt/mpi/communicator.hpp>
#else
int good = glt::serial_comm().rank();
#endif
