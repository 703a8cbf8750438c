// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/instances/neighbor_loader.hpp>

template class glt::dist::loader<glt::mpi_comm, glt::dist::neighbor_batches<glt::device::cpu, glt::global_id>>;
