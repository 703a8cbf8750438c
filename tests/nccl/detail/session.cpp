// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/fake_nccl.hpp"

#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

#include <cstddef>
#include <memory>
#include <stdexcept>

using namespace glt;
using namespace glt_test;

TEST_CASE("a session of one rank makes no communicator and starts nothing") {
  auto const network = std::make_shared<fake_network>();
  detail::nccl_session session(serial_comm(), fake_nccl(network, "start", 0));
  session.start([](auto&, auto const&) -> bool { throw std::runtime_error("never called"); });
  CHECK_NOTHROW(session.finish());
  CHECK(network->last_id == 0);
}

TEST_CASE("what cannot be enqueued on one rank is told to all when they finish") {
  auto const network = std::make_shared<fake_network>();
  run_threads(3, [&](threads_comm host) {
    detail::nccl_session session(host, fake_nccl(network));
    CHECK_NOTHROW(session.finish()); // nothing was started
    session.start([](auto&, auto const&) { return false; });
    CHECK_NOTHROW(session.finish());
    session.start([&](auto&, auto const&) -> bool {
      if (session.host().rank() == 2) {
        throw std::runtime_error("no room");
      }
      return true;
    });
    CHECK(thrown<collective_error>([&] { session.finish(); }) == "rank 2: no room");
    CHECK(thrown<collective_error>([&] { session.start([](auto&, auto const&) { return false; }); }) ==
          "rank 2: no room");
  });
  CHECK(network->alive == 0);
}

TEST_CASE("a rank that has left does not keep the others waiting for the GPU") {
  auto const network = std::make_shared<fake_network>();
  CHECK(thrown<std::runtime_error>([&] {
          run_threads(3, [&](threads_comm host) {
            detail::nccl_session session(host, fake_nccl(network));
            if (host.rank() == 1) {
              throw std::runtime_error("left");
            }
            std::byte place{};
            session.start([&](fake_nccl& layer, auto const& comm) {
              layer.begin_group();
              layer.receive(comm, &place, 1, 1);
              layer.end_group();
              return true;
            });
            CHECK(thrown<collective_error>([&] { session.finish(); }) == "rank 1: left");
          });
        }) == "left");
  CHECK(network->alive == 0);
}
