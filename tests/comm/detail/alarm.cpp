// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <glt/comm/counting.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/serial.hpp>

#include <cstddef>
#include <thread>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(detail::alarming<counting_comm<serial_comm>>);
static_assert(!detail::alarming<minimal_communicator<serial_comm>>);

TEST_CASE("an alarm reaches all ranks without their help, and is as new when it is settled") {
  on_ranks([](auto host) {
    counting_comm comm(host);
    auto alarm = comm.make_alarm();
    auto other_comm = comm.duplicate();
    auto other = other_comm.make_alarm();
    for (int round = 0; round < 3; ++round) {
      CHECK(!alarm.raised());
      comm.barrier();
      std::vector<char> raisers(static_cast<std::size_t>(comm.size()), 0);
      for (int rank = 0; rank < comm.size(); rank += 2 - round % 2) { // every one, or every second one
        raisers[static_cast<std::size_t>(rank)] = 1;
      }
      bool const raises = raisers[static_cast<std::size_t>(comm.rank())] != 0;
      if (raises) {
        alarm.raise();
        alarm.raise();
      }
      if (comm.size() > 1 && (!raises || comm.size() > 2)) {
        while (!alarm.raised()) {
          std::this_thread::yield();
        }
      }
      comm.barrier();
      CHECK(!other.raised());
      if (!raises) {
        alarm.settle(raisers);
        CHECK(!alarm.raised()); // though those that raised it settle later
      }
      comm.barrier();
      if (raises) {
        alarm.settle(raisers);
      }
      comm.barrier();
    }
    CHECK(!alarm.raised());
    alarm = comm.make_alarm();
    CHECK(!alarm.raised());
    comm.barrier(); // threads that have left count as failed
  });
}
