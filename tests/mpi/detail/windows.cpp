// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/windows.hpp>

#include <glt/mpi/communicator.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

using glt::mpi_comm;
using glt::detail::mpi_windows;

TEST_CASE("the blocks of a window have the sizes and the bytes of their ranks") {
  auto comm = mpi_comm::world();
  auto const windows = mpi_windows::make();
  auto const made = windows->allocate(comm.native(), 10 * comm.rank());
  windows->keep(made);
  REQUIRE(std::ssize(made.of_rank) == comm.size());
  for (auto& byte : made.own) {
    byte = std::byte(comm.rank());
  }
  MPI_Win_sync(made.native);
  comm.barrier();
  MPI_Win_sync(made.native);
  for (int rank = 0; rank < comm.size(); ++rank) {
    auto const block = made.of_rank[static_cast<std::size_t>(rank)];
    REQUIRE(std::ssize(block) == 10 * rank);
    for (auto const byte : block) {
      CHECK(byte == std::byte(rank));
    }
  }
  comm.barrier();
}

TEST_CASE("windows are freed in any order, when nobody uses them any more") {
  auto comm = mpi_comm::world();
  auto const windows = mpi_windows::make();
  auto first = windows->allocate(comm.native(), 8);
  windows->keep(first);
  auto second = windows->allocate(comm.native(), 8);
  windows->keep(second);
  windows->reclaim(comm.native());
  CHECK(windows->size() == 2);
  first.keeper.reset();
  windows->reclaim(comm.native());
  CHECK(windows->size() == 1);
  second.own[0] = std::byte{3};
  if (comm.rank() == 0) {
    second.keeper.reset();
  }
  windows->reclaim(comm.native());
  CHECK(windows->size() == (comm.size() == 1 ? 0 : 1));
  second.keeper.reset();
  windows->reclaim(comm.native());
  CHECK(windows->size() == 0);
}

TEST_CASE("an MPI call that fails is an error, and a window in use lasts longer than who made it") {
  auto const comm = mpi_comm::world();
  auto windows = mpi_windows::make();
  auto const nowhere =
      glt_test::thrown<glt::mpi_error>([&] { static_cast<void>(windows->allocate(MPI_COMM_NULL, 8)); });
  CHECK(glt_test::names(nowhere, "failed with code"));
  auto const made = windows->allocate(comm.native(), 8);
  windows->keep(made);
  windows.reset();
  made.own[7] = std::byte{1};
  CHECK(made.own[7] == std::byte{1});
}
