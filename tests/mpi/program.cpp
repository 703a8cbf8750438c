// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <sstream>
#include <string>

// The programs of examples/ run in it; here MPI runs already.
TEST_CASE("run_mpi_program tells what keeps it from starting, by its name, and does not run the work") {
  std::ostringstream errors;
  bool ran = false;
  CHECK(glt::run_mpi_program([&](glt::mpi_comm const&) { ran = true; }, errors, {.name = "tool"}) == 1);
  CHECK(errors.str().starts_with("tool: mpi_environment: MPI was started already"));
  CHECK_FALSE(ran);
}
