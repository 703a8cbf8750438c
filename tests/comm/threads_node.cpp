// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/threads_node.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/threads.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt::threads_node;

TEST_CASE("only ranks of one machine see each other's blocks, and a refusal concerns its machine alone") {
  for (bool const refuses : {false, true}) {
    glt::run_threads(5, [&](glt::threads_comm comm) {
      auto const machine = comm.rank() < 3 ? 0 : 1;
      threads_node<glt::threads_comm> node(comm,
                                           {.machine = machine, .refusal = refuses && comm.rank() == 1 ? "no" : ""});
      auto const blocks = node.share(4, [&](std::span<std::byte> block) { block[0] = std::byte(comm.rank()); });
      for (int rank = 0; rank < 5; ++rank) {
        bool const same_machine = (rank < 3) == (comm.rank() < 3);
        auto const& block = blocks.of_rank[static_cast<std::size_t>(rank)];
        CHECK(block.has_value() == (rank == comm.rank() || (same_machine && !(refuses && machine == 0))));
        if (block) {
          CHECK((*block)[0] == std::byte(rank));
        }
      }
      if (refuses && machine == 0) {
        CHECK(blocks.reason == "rank 1 cannot share memory: no");
      } else {
        CHECK(glt_test::names(blocks.reason, machine == 0 ? "2 of 5 ranks" : "3 of 5 ranks", "other machines"));
      }
    });
  }
}

TEST_CASE("a rank that cannot share is named by its number in the world") {
  glt::run_threads(4, [](glt::threads_comm comm) {
    auto const group = comm.split(comm.rank() / 2, -comm.rank());
    threads_node<glt::threads_comm> node(group, {.machine = 0, .refusal = group.rank() == 0 ? "no" : ""});
    auto const blocks = node.share(4, [](std::span<std::byte>) {});
    CHECK(blocks.reason == (comm.rank() < 2 ? "rank 1 cannot share memory: no" : "rank 3 cannot share memory: no"));
  });
}

TEST_CASE("a single rank has its own block and nothing to give a reason for") {
  threads_node<glt::serial_comm> node({}, {.refusal = "whatever"});
  auto const blocks = node.share(0, [](std::span<std::byte> block) { CHECK(block.empty()); });
  REQUIRE(blocks.of_rank.size() == 1);
  CHECK(blocks.of_rank[0].has_value());
  CHECK(blocks.reason.empty());
}

TEST_CASE("sharing costs one header exchange, one all-to-all and a barrier, whatever the size") {
  glt::run_threads(3, [](glt::threads_comm comm) {
    glt::counting_comm counted(comm);
    threads_node<glt::counting_comm<glt::threads_comm>> node(counted);
    auto const blocks = node.share(100000, [](std::span<std::byte>) {});
    CHECK(counted.counts().headers.collectives == 2);
    CHECK(counted.counts().other.collectives == 1);
    CHECK(counted.counts().total().collectives == 3);
    CHECK(counted.counts().total().bytes < 1000);
  });
}
