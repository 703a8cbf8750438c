// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/instances/link_loader.hpp>

template class glt::dist::loader<glt::mpi_comm, glt::dist::link_batches<glt::device::cpu, glt::global_id>>;
