// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/alarm.hpp>

#include <chrono>
#include <cstddef>
#include <thread>
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

TEST_CASE("alarms that some ranks raise are heard by the others, and not again once they are settled") {
  auto comm = mpi_comm::world();
  auto alarm = comm.make_alarm();
  for (int round = 0; round < 10; ++round) {
    std::vector<char> raisers(static_cast<std::size_t>(comm.size()), 0);
    int const last = round % comm.size(); // ranks up to it raise the alarm
    for (int rank = 0; rank <= last; ++rank) {
      raisers[static_cast<std::size_t>(rank)] = 1;
    }
    if (comm.rank() <= last) {
      alarm.raise();
      auto moved = comm.make_alarm();
      moved = std::move(alarm);
      moved.raise(); // is raised already
      alarm = std::move(moved);
    }
    comm.barrier();
    bool const hears = last > 0 || comm.rank() != 0; // another rank
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (hears && !alarm.raised() && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    CHECK(alarm.raised() == hears);
    alarm.settle(raisers);
    CHECK(!alarm.raised());
    comm.barrier();
  }
}
