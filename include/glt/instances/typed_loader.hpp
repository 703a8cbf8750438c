// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/loader.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/mpi/communicator.hpp>

// The loader of batches of typed graphs over MPI is compiled in glt::instances: a program that includes this header
// links it and does not compile the loader.
extern template class glt::dist::loader<glt::mpi_comm, glt::dist::typed_batches<glt::device::cpu, glt::global_id>>;
