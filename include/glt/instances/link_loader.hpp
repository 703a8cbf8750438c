// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/loader.hpp>
#include <glt/dist/loading/link_batches.hpp>
#include <glt/mpi/communicator.hpp>

// The loader of batches of links over MPI is compiled in glt::instances: a program that includes this header links it
// and does not compile the loader.
extern template class glt::dist::loader<glt::mpi_comm, glt::dist::link_batches<glt::device::cpu, glt::global_id>>;
