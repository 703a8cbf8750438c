// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/handle.hpp>

#include <memory>
#include <type_traits>

using namespace glt;

TEST_CASE("a handle knows its place and frees its communicator") {
  static_assert(!std::is_copy_constructible_v<detail::mpi_handle>);
  for (int i = 0; i < 3000; ++i) { // more than an MPI library has communicators
    MPI_Comm copy = MPI_COMM_NULL;
    REQUIRE(MPI_Comm_dup(MPI_COMM_SELF, &copy) == MPI_SUCCESS);
    detail::mpi_handle const handle(copy, 5, std::make_shared<detail::mpi_family>(copy, detail::mpi_watch::seconds(0)));
    REQUIRE(handle.rank() == 0);
    REQUIRE(handle.size() == 1);
    REQUIRE(handle.block_bytes() == 5);
  }
}
