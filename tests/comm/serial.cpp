// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a single rank keeps what it sends to itself") {
  serial_comm comm;
  static_assert(std::is_trivially_copyable_v<serial_comm>);
  CHECK(comm.rank() == 0);
  CHECK(comm.size() == 1);
  std::array const send{std::byte{1}, std::byte{2}};
  std::array<std::byte, 2> received{};
  comm.all_to_all(send.data(), received.data(), 2);
  CHECK(received == send);
  double value = 3;
  comm.all_reduce(std::span(&value, 1), reduction::sum);
  CHECK(value == 3);
  comm.broadcast(received.data(), 2, 0);
  comm.barrier();
  CHECK(received == send);
  CHECK(comm.split(4, 5).size() == 1);
  CHECK(comm.duplicate().rank() == 0);
}

TEST_CASE("a single rank exchanges nothing, and still checks its arguments") {
  serial_comm comm;
  std::vector<std::int64_t> const none{0};
  std::vector<std::int64_t> const some{4};
  std::vector<char> const nobody{0};
  comm.start_all_to_all_v({nullptr, none, none}, {nullptr, none, none}).wait();
  reply_buffer replies;
  replies.data.resize(7);
  comm.all_to_all_replies({nullptr, none, none}, nobody, nobody, replies);
  CHECK(replies.from(0).empty());
  CHECK(names(thrown<precondition_error>([&] { comm.all_to_all_v({nullptr, some, none}, {nullptr, none, none}); }),
              "itself"));
  CHECK(names(thrown<precondition_error>([&] { comm.broadcast(nullptr, 0, 1); }), "root 1"));
}
