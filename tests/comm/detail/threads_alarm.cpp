// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include <stdexcept>
#include <thread>

using namespace glt;
using namespace glt_test;

TEST_CASE("the alarm of threads is raised by a rank that has left") {
  for (bool const throws : {false, true}) {
    auto const run = [&] {
      run_threads(3, [&](threads_comm comm) {
        if (comm.rank() == 1) {
          if (throws) {
            throw std::runtime_error("gone");
          }
          return;
        }
        auto alarm = comm.make_alarm();
        while (!alarm.raised()) {
          std::this_thread::yield();
        }
        comm.barrier();
      });
    };
    if (throws) {
      CHECK(thrown<std::runtime_error>(run) == "gone");
    } else {
      CHECK(names(thrown<collective_error>(run), "rank 1: returned while other ranks wait for it in barrier"));
    }
  }
}

TEST_CASE("a rank does not hear its own alarm") {
  run_threads(1, [](threads_comm comm) {
    auto alarm = comm.make_alarm();
    alarm.raise();
    CHECK(!alarm.raised());
  });
}
