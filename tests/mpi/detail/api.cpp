// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/error.hpp>

TEST_CASE("the C interface of MPI 3 is there, without C++ bindings") {
#ifdef MPI_CXX_HAVE_BINDINGS
  CHECK_MESSAGE(false, "mpi.h brought its C++ bindings");
#endif
  int version = 0;
  int subversion = 0;
  MPI_Get_version(&version, &subversion);
  CHECK(version >= 3);
}
