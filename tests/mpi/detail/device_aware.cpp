// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/counting.hpp>
#include <glt/core/types.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/process.hpp>

using namespace glt;

static_assert(carries<mpi_comm, memory_space::host> && carries<mpi_comm, memory_space::pinned>);
static_assert(!carries<mpi_comm, memory_space::device>);

TEST_CASE("an MPI says whether it takes memory of GPUs, the same through every handle") {
  auto const comm = mpi_comm::world();
  CHECK(comm.device_aware() == detail::mpi_is_device_aware());
  CHECK(counting_comm(comm).device_aware() == comm.device_aware());
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  CHECK(comm.device_aware() == (MPIX_Query_cuda_support() != 0));
#endif
}
