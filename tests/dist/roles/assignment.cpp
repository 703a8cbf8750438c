// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/assignment.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::detail::server_or_client;
using glt::detail::servers_of;
using glt::dist::assign_workers;
using glt::dist::role;
using glt_test::names;

namespace {

template <class Call>
auto refusal(Call call) {
  return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(call()); });
}

} // namespace

TEST_CASE("the first ranks are servers") {
  for (int ranks = 2; ranks <= 5; ++ranks) {
    for (int servers = 1; servers < ranks; ++servers) {
      for (int rank = 0; rank < ranks; ++rank) {
        CHECK(server_or_client(rank, ranks, servers) == (rank < servers ? role::server : role::client));
      }
    }
  }
  CHECK(names(refusal([] { return server_or_client(0, 3, 3); }), "3 servers of 3 ranks", "start more ranks"));
  CHECK(names(refusal([] { return server_or_client(0, 3, 0); }), "0 servers"));
  CHECK(names(refusal([] { return server_or_client(3, 3, 1); }), "no rank 3", "0 to 2"));
  CHECK(names(refusal([] { return server_or_client(-1, 3, 1); }), "no rank -1"));
}

TEST_CASE("trainers get workers of their own machine") {
  CHECK(assign_workers({}, 2).empty());
  std::vector<std::int64_t> const one(6, 7);
  CHECK(assign_workers(one, 2) == std::vector{0, 0, 0, 3, 3, 3});
  CHECK(assign_workers(one, 0) == std::vector{0, 1, 2, 3, 4, 5});
  std::vector<std::int64_t> const in_turn{9, -4, 9, -4, 9, 9}; // ranks dealt to machines, one of which has more
  CHECK(assign_workers(in_turn, 1) == std::vector{0, 1, 0, 1, 4, 4});
}

TEST_CASE("a machine without ranks for whole teams is refused, and the text says how many to start") {
  std::vector<std::int64_t> const machines{5, 5, 5, 1, 1};
  CHECK(names(refusal([&] { return assign_workers(machines, 2); }), "2 ranks on the machine of rank 3",
              "a trainer and 2 workers are 3", "start 3 ranks on every machine"));
  CHECK(names(refusal([&] { return assign_workers(machines, -1); }), "-1 workers per trainer"));
}

TEST_CASE("clients and servers are matched as evenly as possible") {
  for (int servers = 1; servers <= 8; ++servers) {
    for (int clients = 1; clients <= 8; ++clients) {
      CAPTURE(servers);
      CAPTURE(clients);
      std::vector<int> clients_of(static_cast<std::size_t>(servers), 0);
      for (int client = 0; client < clients; ++client) {
        auto const mine = servers_of(client, clients, servers);
        auto const number = static_cast<int>(mine.size());
        CHECK(number >= (servers < clients ? 1 : servers / clients));
        CHECK(number <= (servers + clients - 1) / clients);
        for (std::size_t i = 0; i < mine.size(); ++i) {
          REQUIRE(mine[i] >= 0);
          REQUIRE(mine[i] < servers);
          CHECK(mine[i] == mine[0] + static_cast<int>(i));
          ++clients_of[static_cast<std::size_t>(mine[i])];
        }
      }
      for (int const number : clients_of) {
        CHECK(number >= (servers > clients ? 1 : clients / servers));
        CHECK(number <= (clients + servers - 1) / servers);
      }
    }
  }
  CHECK(servers_of(1'999'999'999, 2'000'000'000, 2'000'000'000) == std::vector{1'999'999'999});
  CHECK(names(refusal([] { return servers_of(0, 2, 0); }), "0 servers"));
  CHECK(names(refusal([] { return servers_of(2, 2, 1); }), "client 2 of 2"));
  CHECK(names(refusal([] { return servers_of(-1, 2, 1); }), "client -1"));
}
