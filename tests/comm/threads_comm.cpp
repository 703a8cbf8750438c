// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/allocations.hpp"
#include "support/errors.hpp"

#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The text that every one of three ranks gets, if it is the same one.
std::string mismatch(auto call) {
  std::array<std::string, 3> texts;
  run_threads(3, [&](threads_comm comm) {
    texts[static_cast<std::size_t>(comm.rank())] = thrown<collective_error>([&] { call(comm); });
    comm.barrier(); // the ranks are in step again
  });
  CHECK(texts[1] == texts[0]);
  CHECK(texts[2] == texts[0]);
  return texts[0];
}

} // namespace

TEST_CASE("different calls are noticed and both are named") {
  CHECK(names(mismatch([](threads_comm comm) {
                std::array<std::byte, 8> bytes{};
                comm.rank() == 1 ? comm.broadcast(bytes.data(), 8, 2) : comm.barrier();
              }),
              "rank 1: is in broadcast of 8 bytes from rank 2 while rank 0 is in barrier"));
  CHECK(names(mismatch([](threads_comm comm) {
                std::array<std::byte, 30> send{};
                std::array<std::byte, 30> receive{};
                comm.all_to_all(send.data(), receive.data(), comm.rank() == 2 ? 10 : 8);
              }),
              "rank 2: is in all_to_all of 10 bytes while rank 0 is in all_to_all of 8 bytes"));
  CHECK(names(mismatch([](threads_comm comm) {
                std::array<std::byte, 8> bytes{};
                comm.broadcast(bytes.data(), 8, comm.rank());
              }),
              "rank 1: is in broadcast of 8 bytes from rank 1 while rank 0 is in broadcast of 8 bytes from rank 0"));
  CHECK(names(mismatch([](threads_comm comm) {
                std::array<std::int64_t, 2> integers{};
                std::array<double, 2> doubles{};
                comm.rank() == 1 ? comm.all_reduce(std::span<std::int64_t>(integers), reduction::sum)
                                 : comm.all_reduce(std::span<double>(doubles), reduction::sum);
              }),
              "sum of int64", "sum of double"));
  CHECK(names(mismatch([](threads_comm comm) {
                float value = 0;
                comm.all_reduce(std::span(&value, 1), comm.rank() == 2 ? reduction::max : reduction::min);
              }),
              "rank 2", "max of float", "min of float"));
}

TEST_CASE("sizes that differ between sender and receiver are noticed, in wait too") {
  std::vector<std::int64_t> const none(3, 0);
  auto const exchange = [&](threads_comm comm, bool started) {
    std::array<std::byte, 8> send{};
    std::array<std::byte, 8> receive{};
    auto out = none;
    auto in = none;
    if (comm.rank() == 0) {
      out[2] = 8;
    }
    if (comm.rank() == 2) {
      in[0] = 4;
    }
    if (started) {
      comm.start_all_to_all_v({send.data(), out, none}, {receive.data(), in, none}).wait();
    } else {
      comm.all_to_all_v({send.data(), out, none}, {receive.data(), in, none});
    }
  };
  CHECK(names(mismatch([&](threads_comm comm) { exchange(comm, false); }), "rank 2: expects 4 bytes of rank 0",
              "sends 8"));
  CHECK(names(mismatch([&](threads_comm comm) { exchange(comm, true); }), "rank 2: expects 4 bytes of rank 0",
              "sends 8"));
}

TEST_CASE("a reply that is not expected, or expected in vain, is noticed") {
  std::vector<std::int64_t> const none(3, 0);
  std::vector<char> const nobody(3, 0);
  std::vector<char> const first{1, 0, 0};
  reply_buffer unused;
  CHECK(names(mismatch([&](threads_comm comm) {
                reply_buffer replies;
                comm.all_to_all_replies({nullptr, none, none}, comm.rank() == 1 ? first : nobody, nobody, replies);
              }),
              "rank 1: expects a reply of rank 0", "sends none"));
  CHECK(names(mismatch([&](threads_comm comm) {
                reply_buffer replies;
                comm.all_to_all_replies({nullptr, none, none}, nobody, comm.rank() == 1 ? first : nobody, replies);
              }),
              "rank 0: does not expect a reply of rank 1"));
}

TEST_CASE("errors of a group name the group and ranks of the world, whatever the group's numbers") {
  auto const of_group = [](auto call) { // ranks 3 and 1, in this order
    std::array<std::string, 4> texts;
    run_threads(4, [&](threads_comm comm) {
      auto group = comm.split(comm.rank() % 2, -comm.rank());
      group.set_name(comm.rank() % 2 != 0 ? "odd" : "even");
      if (comm.rank() % 2 != 0) {
        texts[static_cast<std::size_t>(comm.rank())] = thrown<collective_error>([&] { call(group); });
      }
      comm.barrier();
    });
    CHECK(texts[1] == texts[3]);
    return texts[1];
  };
  std::vector<std::int64_t> const none(2, 0);
  std::vector<std::int64_t> const eight{8, 0};
  std::vector<char> const nobody(2, 0);
  std::vector<char> const first{1, 0};
  std::array<std::byte, 8> bytes{};
  CHECK(names(
      of_group([&](threads_comm group) { group.rank() == 1 ? group.broadcast(bytes.data(), 0, 1) : group.barrier(); }),
      "rank 1: odd-1: is in broadcast from rank 1 while rank 3 is in barrier"));
  CHECK(names(of_group([&](threads_comm group) {
                group.all_to_all_v({bytes.data(), none, none}, {bytes.data(), group.rank() == 1 ? eight : none, none});
              }),
              "rank 1: odd-1: expects 8 bytes of rank 3, which sends 0"));
  CHECK(names(of_group([&](threads_comm group) {
                reply_buffer replies;
                group.all_to_all_replies({nullptr, none, none}, group.rank() == 1 ? first : nobody, nobody, replies);
              }),
              "rank 1: odd-1: expects a reply of rank 3, which sends none"));
  std::array<std::string, 2> waiting;
  run_threads(4, [&](threads_comm comm) {
    auto group = comm.split(comm.rank() % 2, -comm.rank());
    group.set_name("pair");
    auto mailbox = group.make_mailbox();
    if (comm.rank() < 2) { // rank 1 of each group waits for rank 0, which returns
      waiting[static_cast<std::size_t>(comm.rank())] = thrown<collective_error>(
          [&] { comm.rank() == 0 ? group.barrier() : static_cast<void>(mailbox.receive(detail::for_ever)); });
    }
  });
  CHECK(names(waiting[0], "rank 2: pair-0: returned while other ranks wait for it in barrier"));
  CHECK(names(waiting[1], "rank 3: pair-0: returned while rank 1 waits for a message"));
}

TEST_CASE("all ranks get the same bits of a sum") {
  std::array<double, 5> sums{};
  run_threads(5, [&](threads_comm comm) {
    double value = 1.0 / (3 + comm.rank());
    comm.all_reduce(std::span(&value, 1), reduction::sum);
    sums[static_cast<std::size_t>(comm.rank())] = value;
  });
  CHECK(sums[0] == 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6 + 1.0 / 7);
  for (auto const sum : sums) {
    CHECK(sum == sums[0]);
  }
}

TEST_CASE("a request moves, does not copy, and completes before it is replaced") {
  static_assert(!std::is_copy_constructible_v<threads_comm::request>);
  run_threads(2, [](threads_comm comm) {
    std::vector<std::int64_t> const none(2, 0);
    auto request = comm.start_all_to_all_v({nullptr, none, none}, {nullptr, none, none});
    request = comm.start_all_to_all_v({nullptr, none, none}, {nullptr, none, none});
    request.wait();
    comm.barrier();
    CHECK(comm.size() == 2);
  });
}

TEST_CASE("a request may be destroyed where there is no memory for the text of its error") {
  std::int64_t failures = 0;
  for (bool has_failed = true; has_failed; failures += has_failed ? 1 : 0) {
    run_threads(2, [&](threads_comm comm) {
      auto const rank = static_cast<std::size_t>(comm.rank());
      std::array<std::byte, 8> send{};
      std::array<std::byte, 8> receive{};
      std::array<std::int64_t, 2> const offsets{};
      std::array<std::int64_t, 2> out{};
      std::array<std::int64_t, 2> in{};
      out[1 - rank] = 4;
      in[1 - rank] = 8; // not what the other one sends
      std::optional request(comm.start_all_to_all_v({send.data(), out, offsets}, {receive.data(), in, offsets}));
      if (rank == 1) {
        failing_allocation const armed(failures + 1);
        request.reset();
        has_failed = armed.has_failed();
      }
    });
  }
  CHECK(failures > 1);
}
