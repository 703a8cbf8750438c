// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/error.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a communicator has its own MPI communicator, which its copies share") {
  auto const comm = mpi_comm::world();
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(comm.native(), MPI_COMM_WORLD, &relation);
  CHECK(relation == MPI_CONGRUENT);
  auto const copy = comm; // NOLINT(performance-unnecessary-copy-initialization): copying is what is tested
  CHECK(copy.native() == comm.native());
  CHECK(mpi_comm::duplicate_of(comm.native()).native() != comm.native());
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK(comm.rank() == rank);
}

TEST_CASE("errors on a communicator are returned, not fatal") {
  auto const comm = mpi_comm::world();
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm.native(), &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
}

TEST_CASE("the limit is kept by duplicates and splits, and checked") {
  auto comm = mpi_comm::world({.block_bytes = 24});
  CHECK(comm.options().block_bytes == 24);
  CHECK(comm.duplicate().options().block_bytes == 24);
  CHECK(comm.split(0, 0).options().block_bytes == 24);
  CHECK(mpi_comm::world().options().block_bytes == std::int64_t{1} << 30);
  CHECK(
      names(thrown<precondition_error>([] { return mpi_comm::world({.block_bytes = 0}).size(); }), "block_bytes is 0"));
  CHECK(names(thrown<precondition_error>([] { return mpi_comm::world({.block_bytes = std::int64_t{1} << 31}).size(); }),
              "2147483648"));
}

TEST_CASE("many communicators come and go") {
  auto comm = mpi_comm::world();
  for (int i = 0; i < 300; ++i) {
    auto copy = comm.duplicate();
    comm = copy;
  }
  std::int64_t one = 1;
  comm.all_reduce(std::span(&one, 1), reduction::sum);
  CHECK(one == comm.size());
}
