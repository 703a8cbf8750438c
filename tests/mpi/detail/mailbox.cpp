// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/detail/mailbox.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/mailbox.hpp>
#include <glt/mpi/node.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

using namespace glt;

namespace {

detail::byte_block filled(detail::mpi_mailbox& box, std::int64_t size, int value) {
  auto block = box.make_block(size);
  std::ranges::fill(block.bytes(), static_cast<std::byte>(value));
  return block;
}

} // namespace

TEST_CASE("a mailbox that goes while messages are on their way waits for nobody") {
  auto world = mpi_comm::world();
  auto const next = (world.rank() + 1) % world.size();
  for (int round = 0; round < 5; ++round) {
    auto const start = std::chrono::steady_clock::now();
    auto late = world.make_mailbox();
    {
      auto box = world.make_mailbox();
      box.send(next, 7, filled(box, 10, round));
      box.send(next, 8, filled(box, 3'000'000, round)); // nobody takes it in
      if (round % 2 == 1) {
        static_cast<void>(box.receive(detail::mailbox_limit{0.01})); // maybe announces what never comes
        static_cast<void>(box.receive(detail::mailbox_limit{0}));
      }
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
    late.send(next, round, filled(late, 1'500'000, round));
    auto const message = late.receive(detail::for_ever);
    REQUIRE(message.has_value());
    CHECK(message->kind == round);
    CHECK(
        std::ranges::all_of(message->bytes.bytes(), [&](auto byte) { return byte == static_cast<std::byte>(round); }));
    late.flush();
    world.barrier();
  }
}

TEST_CASE("a rank that waits for a message of its machine sleeps until it is rung for") {
  auto world = mpi_comm::world();
  mpi_node node(world);
  auto box = world.make_mailbox();
  auto bells = detail::mpi_mailbox::make_bells(node);
  bool const all_here = world.size() > 1 && bells.reason.empty();
  box.listen(std::move(bells));
  world.barrier();
  auto const naps = [] {
    rusage used{};
    ::getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
  };
  constexpr long milliseconds = 300;
  if (world.rank() == 0) {
    for (int rank = 1; rank < world.size(); ++rank) { // and a large one, for which both ranks have to look
      box.send(rank, 1, filled(box, 3'000'000, rank));
    }
    box.flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    for (int rank = 1; rank < world.size(); ++rank) {
      box.send(rank, 2, filled(box, 10, rank));
    }
    for (int rank = 1; rank < world.size(); ++rank) {
      CHECK(box.receive(detail::for_ever)->kind == 3);
    }
  } else {
    CHECK(box.receive(detail::for_ever)->kind == 1);
    auto const before = naps();
    CHECK(box.receive(detail::for_ever)->kind == 2);
    if (all_here) {
      CHECK(naps() - before < 2 * milliseconds); // ten times as many if it looked every 50 microseconds
    }
    box.send(0, 3, filled(box, 10, 1));
    box.flush();
  }
  world.barrier();
}

TEST_CASE("a mailbox may outlive the communicator that it was made with") {
  std::optional<detail::mpi_mailbox> box;
  int next = 0;
  {
    auto comm = mpi_comm::world();
    next = (comm.rank() + 1) % comm.size();
    box.emplace(comm.make_mailbox());
  }
  box->send(next, 1, filled(*box, 5'000, next));
  auto const message = box->receive(detail::for_ever);
  REQUIRE(message.has_value());
  CHECK(message->bytes.size() == 5'000);
  box->flush();
}

TEST_CASE("mailboxes work under a time limit, which does not hold for waiting for messages") {
  auto world = mpi_comm::world({.time_limit = std::chrono::seconds(60)});
  auto limited = mpi_comm::world({.time_limit = std::chrono::milliseconds(1'500)});
  auto const next = (world.rank() + 1) % world.size();
  {
    auto box = limited.make_mailbox();
    if (world.rank() == 0 && world.size() > 1) {
      CHECK(!box.receive(detail::mailbox_limit{2}));
    }
    world.barrier();
  }
  auto box = world.make_mailbox();
  for (int round = 0; round < 3; ++round) {
    box.send(next, round, filled(box, 4'000'000, round));
  }
  box.flush();
  for (int round = 0; round < 3; ++round) {
    auto const message = box.receive(detail::for_ever);
    REQUIRE(message.has_value());
    CHECK(message->kind == round);
  }
  world.barrier();
}

TEST_CASE("every rank may use another size of pieces") {
  auto plain = mpi_comm::world();
  auto comm = mpi_comm::world({.block_bytes = 10 + plain.rank() * 500});
  auto box = comm.make_mailbox();
  auto const next = (comm.rank() + 1) % comm.size();
  for (std::int64_t const size : {10, 11, 500, 510, 511, 1'000, 1'001, 20'000}) {
    box.send(next, size, filled(box, size, 3));
    auto const message = box.receive(detail::for_ever);
    REQUIRE(message.has_value());
    CHECK(message->kind == size);
    CHECK(message->bytes.size() == size);
    CHECK(std::ranges::all_of(message->bytes.bytes(), [](auto byte) { return byte == std::byte{3}; }));
  }
  box.flush();
  comm.barrier();
}
