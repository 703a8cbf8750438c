// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include <chrono>
#include <stdexcept>
#include <thread>

using namespace glt;
using namespace glt_test;

TEST_CASE("threads that wait for messages wake when one leaves by exception") {
  for (bool const is_early : {true, false}) {
    auto const text = thrown<std::runtime_error>([&] {
      run_threads(3, [&](threads_comm comm) {
        auto box = comm.make_mailbox();
        if (comm.rank() == 1) {
          std::this_thread::sleep_for(std::chrono::milliseconds(is_early ? 0 : 20));
          throw std::runtime_error("out of paper");
        }
        auto const failure = thrown<collective_error>([&] { static_cast<void>(box.receive(detail::for_ever)); });
        CHECK(failure == "rank 1: out of paper");
        CHECK(thrown<collective_error>([&] { box.send(0, 0, {}); }) == failure);
        CHECK(thrown<collective_error>([&] { static_cast<void>(box.receive(detail::mailbox_limit{0})); }) == failure);
      });
    });
    CHECK(text == "out of paper");
  }
}

TEST_CASE("threads do not wait for messages of those that have returned") {
  auto const text = thrown<collective_error>([&] {
    run_threads(3, [&](threads_comm comm) {
      auto box = comm.make_mailbox();
      if (comm.rank() != 0) {
        box.send(0, comm.rank(), {});
        return;
      }
      CHECK(box.receive_from(2, detail::for_ever).has_value());
      CHECK(names(thrown<collective_error>([&] { static_cast<void>(box.receive_from(2, detail::for_ever)); }),
                  "rank 2: returned while rank 0 waits"));
      CHECK(box.receive(detail::for_ever).has_value()); // what was sent before arrives
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      while (!comm.make_alarm().raised()) {
        std::this_thread::yield();
      }
      CHECK(!box.receive(detail::mailbox_limit{0}));
      static_cast<void>(box.receive(detail::for_ever));
    });
  });
  CHECK(names(text, "returned while rank 0 waits for a message, as have all others"));
}

TEST_CASE("threads hand over blocks without copying them") {
  run_threads(2, [](threads_comm comm) {
    auto box = comm.make_mailbox();
    auto const block = box.make_block(100);
    box.send(1 - comm.rank(), reinterpret_cast<std::intptr_t>(block.data()), block);
    auto const message = box.receive(detail::for_ever);
    CHECK(reinterpret_cast<std::intptr_t>(message->bytes.data()) == message->kind);
    comm.barrier();
  });
}
