// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: mpi_comm. is not a member of .glt.|no type named .mpi_comm. in namespace .glt.
#include <glt/glt.hpp>

void use(glt::serial_comm good);
#ifdef GLT_FAIL
void use(glt::mpi_comm bad); // of <glt/mpi/communicator.hpp>
#endif
