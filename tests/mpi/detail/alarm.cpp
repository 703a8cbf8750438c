// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/alarm.hpp>

#include <utility>
#include <vector>

using namespace glt;

TEST_CASE("an alarm that nobody settles goes with its communicator") {
  auto world = mpi_comm::world();
  for (int round = 0; round < 20; ++round) {
    auto comm = world.duplicate();
    auto alarm = comm.make_alarm();
    if (comm.rank() == 0) {
      alarm.raise();
    }
    auto moved = std::move(alarm);
    comm.barrier();
    CHECK((comm.rank() != 0 || !moved.raised()));
  }
  auto fresh = world.make_alarm();
  CHECK(!fresh.raised());
  world.barrier();
}
