// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/exchange.hpp>

#include <memory>

using namespace glt;

TEST_CASE("memory is kept until MPI is done with it, and for good where that never comes") {
  auto world = mpi_comm::world();
  std::weak_ptr<int const> first;
  std::weak_ptr<int const> second;
  {
    detail::orphaned_requests leftovers;
    auto const receive = [&] {
      auto number = std::make_shared<int>(0);
      MPI_Request request = MPI_REQUEST_NULL;
      REQUIRE(MPI_Irecv(number.get(), 1, MPI_INT, world.rank(), 9, world.native(), &request) == MPI_SUCCESS);
      leftovers.keep(request, number);
      return std::weak_ptr<int const>(number);
    };
    first = receive();
    second = receive();
    CHECK(leftovers.size() == 2);
    CHECK(!first.expired());
    int const value = 5;
    REQUIRE(MPI_Send(&value, 1, MPI_INT, world.rank(), 9, world.native()) == MPI_SUCCESS);
    while (leftovers.size() == 2) {
    }
    CHECK(first.expired());
    CHECK(!second.expired());
  }
  CHECK(!second.expired());
  int const value = 6;
  REQUIRE(MPI_Send(&value, 1, MPI_INT, world.rank(), 9, world.native()) == MPI_SUCCESS); // goes to the memory kept
  world.barrier();
}
