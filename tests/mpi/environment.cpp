// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/error.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/environment.hpp>

#include <type_traits>

using namespace glt;
using namespace glt_test;

TEST_CASE("a second environment is refused, and does not end MPI") {
  static_assert(!std::is_copy_constructible_v<mpi_environment>);
  CHECK(names(thrown<precondition_error>([] { mpi_environment again; }), "MPI was started already"));
  int finalized = 1;
  MPI_Finalized(&finalized);
  CHECK(finalized == 0);
}
