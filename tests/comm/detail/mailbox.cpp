// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <glt/comm/counting.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(detail::mailing<counting_comm<serial_comm>>);
static_assert(!detail::mailing<minimal_communicator<serial_comm>>);

namespace {

constexpr std::array<std::int64_t, 7> some_sizes{0, 1, 4'000, 5'000'001, 999, 1'001, 70'000};

std::byte value_at(std::int64_t i, int from, int to, std::int64_t kind) {
  return static_cast<std::byte>((i * 31 + (i >> 8) * 7 + from * 13 + to * 5 + kind) & 255);
}

auto filled(auto& box, std::int64_t size, int from, int to, std::int64_t kind) {
  auto block = box.make_block(size);
  for (std::int64_t i = 0; i < size; ++i) {
    block.data()[i] = value_at(i, from, to, kind);
  }
  return block;
}

bool holds(detail::mailbox_message const& message, std::int64_t size, int to) {
  if (message.bytes.size() != size) {
    return false;
  }
  for (std::int64_t i = 0; i < size; ++i) {
    if (message.bytes.data()[i] != value_at(i, message.source, to, message.kind)) {
      return false;
    }
  }
  return true;
}

// Everybody sends messages of all sizes to everybody, itself included, before it takes in any.
auto exchange_all_sizes = [](auto comm) {
  auto box = comm.make_mailbox();
  for (std::size_t i = 0; i < some_sizes.size(); ++i) {
    for (int to = 0; to < comm.size(); ++to) {
      auto const kind = static_cast<std::int64_t>(i);
      box.send(to, kind, filled(box, some_sizes[i], comm.rank(), to, kind));
    }
  }
  std::vector<std::size_t> seen(static_cast<std::size_t>(comm.size()), 0);
  for (auto left = some_sizes.size() * seen.size(); left > 0; --left) {
    auto const message = box.receive(detail::for_ever);
    REQUIRE(message.has_value());
    auto const number = seen[static_cast<std::size_t>(message->source)]++;
    REQUIRE(message->kind == static_cast<std::int64_t>(number)); // in order
    CHECK(holds(*message, some_sizes[number], comm.rank()));
    CHECK(reinterpret_cast<std::uintptr_t>(message->bytes.data()) % 64 == 0);
  }
  box.flush();
  comm.barrier();
  CHECK(!box.receive(detail::mailbox_limit{0}));
  comm.barrier();
};

} // namespace

TEST_CASE("messages of all sizes arrive whole, and those of one rank in order") {
  on_ranks(exchange_all_sizes);
}

TEST_CASE("messages arrive whole in small pieces, and those of one rank in order") {
  on_ranks_limited(exchange_all_sizes, {2, 3}, 16);
  on_ranks_limited(exchange_all_sizes, some_ranks, 1'000);
}

TEST_CASE("ranks that send each other much and only wait for it to go do not wait for ever") {
  on_ranks([](auto comm) {
    auto box = comm.make_mailbox();
    constexpr std::int64_t size = 5'000'000;
    for (int round = 0; round < 3; ++round) {
      for (int to = 0; to < comm.size(); ++to) {
        box.send(to, round, filled(box, size, comm.rank(), to, round));
      }
      box.flush();
    }
    for (int from = comm.size() - 1; from >= 0; --from) {
      for (int round = 0; round < 3; ++round) {
        auto const message = box.receive_from(from, detail::for_ever);
        REQUIRE(message.has_value());
        CHECK(message->source == from);
        CHECK(message->kind == round);
        CHECK(holds(*message, size, comm.rank()));
      }
    }
    CHECK(!box.receive(detail::mailbox_limit{0}));
    comm.barrier();
  });
}

TEST_CASE("a rank waits for messages no longer than it wants") {
  using clock = std::chrono::steady_clock;
  on_ranks([](auto comm) {
    auto box = comm.make_mailbox();
    CHECK(!box.receive(detail::mailbox_limit{0}));
    CHECK(!box.receive(detail::mailbox_limit{-1}));
    CHECK(!box.receive_from(0, detail::mailbox_limit{0}));
    CHECK(!box.receive_from(comm.rank(), detail::for_ever)); // nobody else could send it
    auto const start = clock::now();
    CHECK(!box.receive(detail::mailbox_limit{0.05}));
    auto const waited = std::chrono::duration<double>(clock::now() - start).count();
    CHECK((comm.size() == 1 || waited > 0.049));
    CHECK(waited < 20);
    comm.barrier();
    if (comm.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the others are asleep
      for (int to = 1; to < comm.size(); ++to) {
        box.send(to, -5, {});
      }
      box.flush();
    } else {
      auto const message = box.receive(detail::mailbox_limit{60});
      REQUIRE(message.has_value());
      CHECK(message->source == 0);
      CHECK(message->kind == -5);
      CHECK(message->bytes.size() == 0);
    }
    comm.barrier();
  });
}

TEST_CASE("requests and replies in any number use few blocks") {
  on_ranks([](auto comm) {
    auto box = comm.make_mailbox();
    constexpr std::int64_t per_client = 3'000;
    constexpr std::int64_t request_kind = 1;
    constexpr std::int64_t reply_kind = 2;
    std::set<std::byte const*> addresses;
    if (comm.rank() == 0) { // serves the others
      std::int64_t sum = 0;
      for (auto left = per_client * (comm.size() - 1); left > 0; --left) {
        auto request = box.receive(detail::for_ever);
        REQUIRE(request.has_value());
        REQUIRE(request->kind == request_kind);
        auto const size = request->bytes.size();
        addresses.insert(request->bytes.data());
        sum += static_cast<std::int64_t>(request->bytes.data()[0]);
        auto reply = box.make_block(size % 5 == 0 ? 2'000 : 20);
        std::ranges::fill(reply.bytes(), request->bytes.data()[0]);
        box.send(request->source, reply_kind, std::move(reply));
      }
      box.flush();
      CHECK(sum > (comm.size() > 1 ? 0 : -1));
    } else {
      for (std::int64_t i = 0; i < per_client; ++i) {
        auto const size = 100 + i % 11;
        auto request = box.make_block(size);
        auto const value = static_cast<std::byte>(i & 255);
        std::ranges::fill(request.bytes(), value);
        box.send(0, request_kind, std::move(request));
        auto const reply = box.receive_from(0, detail::for_ever);
        REQUIRE(reply.has_value());
        REQUIRE(reply->kind == reply_kind);
        REQUIRE(reply->bytes.size() == (size % 5 == 0 ? 2'000 : 20));
        REQUIRE(std::ranges::all_of(reply->bytes.bytes(), [&](std::byte byte) { return byte == value; }));
        addresses.insert(reply->bytes.data());
      }
    }
    CHECK(addresses.size() < 100);
    comm.barrier();
  });
}

TEST_CASE("ten thousand messages at once arrive") {
  on_ranks([](auto comm) {
    auto box = comm.make_mailbox();
    constexpr std::int64_t number = 10'000;
    auto const next = (comm.rank() + 1) % comm.size();
    auto const before = (comm.rank() + comm.size() - 1) % comm.size();
    for (std::int64_t i = 0; i < number; ++i) {
      box.send(next, i, filled(box, i % 50, comm.rank(), next, i));
    }
    bool good = true;
    for (std::int64_t i = 0; i < number; ++i) {
      auto const message = box.receive(detail::for_ever);
      REQUIRE(message.has_value());
      good = good && message->source == before && message->kind == i && holds(*message, i % 50, comm.rank());
    }
    CHECK(good);
    box.flush();
    comm.barrier();
  });
}

TEST_CASE("mailboxes do not mix their messages, and those that go leave none to later ones") {
  on_ranks([](auto comm) {
    auto const next = (comm.rank() + 1) % comm.size();
    for (int round = 0; round < 10; ++round) {
      auto box = comm.make_mailbox();
      auto other = comm.make_mailbox();
      for (std::int64_t const size : {10, 100'000, 20}) { // never taken, all or some
        box.send(next, 1'000 + round, filled(box, size, comm.rank(), next, round));
      }
      if (round % 3 == 0) {
        static_cast<void>(box.receive(detail::mailbox_limit{0}));
      }
      other.send(next, round, filled(other, 3'000, comm.rank(), next, round));
      auto const message = other.receive(detail::for_ever);
      REQUIRE(message.has_value());
      CHECK(message->kind == round);
      CHECK(holds(*message, 3'000, comm.rank()));
      if (round % 2 == 0) {
        auto moved = std::move(box);
        box = comm.make_mailbox();
        CHECK(!box.receive(detail::mailbox_limit{0}));
      }
    }
    comm.barrier();
  });
}

TEST_CASE("a message outlives its mailbox, and its bytes are kept by who adopts them") {
  on_ranks([](auto comm) {
    auto const next = (comm.rank() + 1) % comm.size();
    std::optional<detail::mailbox_message> message;
    {
      auto box = comm.make_mailbox();
      box.send(next, 3, filled(box, 50'000, comm.rank(), next, 3));
      message = box.receive(detail::for_ever);
      box.flush();
    }
    REQUIRE(message.has_value());
    auto const keeper = message->bytes.keeper();
    CHECK(holds(*message, 50'000, comm.rank()));
    comm.barrier();
  });
}

TEST_CASE("ranks that are none are refused, and messages are counted") {
  on_ranks([](auto host) {
    counting_comm comm(host);
    auto box = comm.make_mailbox();
    CHECK(names(thrown<precondition_error>([&] { box.send(comm.size(), 0, {}); }), "send: there is no rank"));
    CHECK(names(thrown<precondition_error>([&] { box.send(-1, 0, {}); }), "no rank -1"));
    CHECK(names(thrown<precondition_error>([&] { static_cast<void>(box.receive_from(-1, detail::for_ever)); }),
                "receive_from: there is no rank -1"));
    for (int to = 0; to < comm.size(); ++to) {
      box.send(to, 0, filled(box, 2'000, comm.rank(), to, 0));
    }
    for (int from = 0; from < comm.size(); ++from) {
      CHECK(box.receive(detail::for_ever).has_value());
    }
    box.flush();
    auto const sends = comm.counts().sends;
    CHECK(sends.collectives == 0);
    CHECK(sends.messages == comm.size() - 1);
    CHECK(sends.bytes == 2'000 * (comm.size() - 1));
    CHECK(comm.counts().total().messages == sends.messages);
    comm.barrier();
  });
}

TEST_CASE("a single rank has messages for itself") {
  serial_comm comm;
  auto box = comm.make_mailbox();
  CHECK(!box.receive(detail::for_ever));
  box.send(0, 4, filled(box, 9, 0, 0, 4));
  box.send(0, 5, {});
  box.flush();
  auto const first = box.receive(detail::mailbox_limit{0});
  auto const second = box.receive_from(0, detail::mailbox_limit{0});
  REQUIRE((first && second));
  CHECK(holds(*first, 9, 0));
  CHECK(second->kind == 5);
  CHECK(names(thrown<precondition_error>([&] { box.send(1, 0, {}); }), "no rank 1"));
}
