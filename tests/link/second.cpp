// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>
#if defined(GLT_TEST_MPI)
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/mpi/node.hpp>

template class glt::dist::neighbor_sampler<glt::mpi_comm, glt::device::cpu>;
#endif

std::uint64_t draw_in_second(std::uint64_t seed);

std::uint64_t draw_in_second(std::uint64_t seed) {
  return glt::random_stream(glt::random_key(seed), 1).next64();
}
