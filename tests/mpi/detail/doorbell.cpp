// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/alarm.hpp>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/node.hpp>

#include <chrono>
#include <cstdint>
#include <thread>

using namespace glt;
using detail::doorbell;
using namespace std::chrono_literals;

TEST_CASE("a rank that is rung for wakes up, and nobody else hears it") {
  auto comm = mpi_comm::world();
  mpi_node node(comm);
  doorbell const bell(node.share(doorbell::bytes, doorbell::clear));
  REQUIRE(bell.hears_all());
  if (comm.size() > 1) {
    CHECK(bell.heard() == 0);
    bell.wait(0, 1ms); // nobody rings: the limit ends it
    detail::exchange_values(comm, {.what = detail::operation::user}, {});
    auto const last = comm.size() - 1;
    int late = 0;
    for (std::uint32_t turn = 0; turn < 20; ++turn) {
      if (comm.rank() == 0) {
        std::this_thread::sleep_for(turn % 2 * 1ms); // often it sleeps by then, and often not yet
        bell.ring(last);
      } else if (comm.rank() == last) {
        auto const start = std::chrono::steady_clock::now();
        while (bell.heard() == turn) {
          bell.wait(turn, 500ms);
        }
        late += std::chrono::steady_clock::now() - start > 400ms ? 1 : 0;
        CHECK(bell.heard() == turn + 1);
        bell.wait(turn, 500ms); // was rung for since
      }
      detail::exchange_values(comm, {.what = detail::operation::user}, {});
    }
    CHECK(bell.heard() == (comm.rank() == last ? 20 : 0));
    CHECK(late < 6); // the bell wakes the rank, not the limit
  }
}

TEST_CASE("a bell without memory of its own is never heard") {
  doorbell const bell;
  CHECK_FALSE(bell.hears_all());
  bell.ring(0);
  CHECK(bell.heard() == 0);
}
