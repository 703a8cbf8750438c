// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>

#include <type_traits>

using namespace glt;
using namespace glt_test;

TEST_CASE("a failed MPI call throws with its name, its code and MPI's text") {
  static_assert(std::is_base_of_v<error, library_error>);
  auto const comm = mpi_comm::world();
  int value = 0;
  auto const send = [&] {
    detail::check_mpi(MPI_Send(&value, 1, MPI_INT, comm.size() + 5, 0, comm.native()), "MPI_Send");
  };
  CHECK(names(thrown<library_error>(send), "MPI_Send failed with code", "rank"));
  try {
    send();
    CHECK_MESSAGE(false, "nothing was thrown");
  } catch (library_error const& error) {
    CHECK(error.call() == "MPI_Send");
    int error_class = 0;
    MPI_Error_class(error.code(), &error_class);
    CHECK(error_class == MPI_ERR_RANK);
  }
  CHECK_NOTHROW(detail::check_mpi(MPI_SUCCESS, "nothing"));
}

TEST_CASE("MPI runs while there is an environment") {
  CHECK(detail::mpi_is_running());
}
