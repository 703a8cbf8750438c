// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/server.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/roles/remote_loader.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/nodes.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using glt_test::counted_batches;
using glt_test::counted_seeds;
using glt_test::on_roles;
using glt_test::prints_of;

namespace {

constexpr glt::dist::loader_options some_options{.batch_size = 3, .shuffle = true, .seed = 5};

template <class Comm>
using remote = glt::dist::remote_loader<Comm, counted_batches>;

// Servers by clients that are as many as the ranks of a test.
std::vector<int> servers_of_size(int ranks) {
  switch (ranks) {
  case 2:
    return {1};
  case 3:
    return {1, 2};
  case 4:
    return {1, 2, 3};
  default:
    return {3};
  }
}

std::vector<int> const sizes{2, 3, 4, 5};

// What a loader without servers makes of the same seeds.
std::vector<std::int64_t> expected_of(int client, std::int64_t seeds, std::int64_t steps, std::int64_t epoch) {
  glt::serial_comm alone;
  glt::dist::loader loader(alone, counted_batches(), counted_seeds(client, seeds), some_options);
  auto prints = prints_of(loader, epoch);
  for (auto step = loader.num_steps(); step < steps; ++step) {
    glt_test::counted_batch batch;
    batch.epoch = epoch;
    batch.step = step;
    prints.push_back(glt::detail::fingerprint_of(batch));
  }
  return prints;
}

} // namespace

TEST_CASE("clients get the batches of a loader, however many servers make them, wherever the others are") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          CAPTURE(servers);
          on_roles(
              comm, servers,
              [](auto& server) {
                server.offer("first", counted_batches());
                server.offer("slow", counted_batches{.delays = true});
                CHECK(server.run().empty()); // no client is lost
              },
              [&](auto& client) {
                auto const own = client.roles().group_rank();
                auto const num_seeds = 10 + 6 * own;
                for (std::int64_t const prefetch : {0, 1, 3, 4}) {
                  auto options = some_options;
                  options.prefetch = prefetch;
                  options.bulk = prefetch == 4 ? 2 : 1;
                  options.buffer_bytes = prefetch == 3 ? 1 : 0;
                  remote<comm_type> loader(client, "slow", counted_seeds(own, num_seeds), {}, options);
                  remote<comm_type> other(client, "first", counted_seeds(own, 20), {}, options, {.together = false});
                  CHECK(loader.num_steps() == (10 + 6 * (client.roles().group_size() - 1) + 2) / 3);
                  for (std::int64_t const epoch : {0, 1}) {
                    auto const expected = expected_of(own, num_seeds, loader.num_steps(), epoch);
                    auto const dawdle = [&](auto const& batch) { glt_test::dawdle(17, batch.step, own); };
                    CHECK(prints_of(loader, epoch, 0, dawdle) == expected);
                    CHECK(prints_of(loader, epoch, 2) ==
                          std::vector<std::int64_t>(expected.begin() + 2, expected.end()));
                  }
                  for (auto const& batch : loader.epoch(5)) { // left, with batches on their way
                    CHECK(batch.step == 0);
                    break;
                  }
                  CHECK(prints_of(other, 2) == expected_of(own, 20, 7, 2));
                  CHECK(prints_of(loader, 1) == expected_of(own, num_seeds, loader.num_steps(), 1));
                  CHECK(prints_of(other, 2, 7).empty());
                }
              });
        }
      },
      sizes);
}

TEST_CASE("servers make as many batches in a round as the bulk of a loader says") {
  glt_test::on_ranks(
      [](auto comm) {
        std::vector<std::int64_t> exchanges;
        for (std::int64_t const bulk : {1, 5}) {
          on_roles(
              glt::counting_comm(comm), 2,
              [&](auto& server) {
                server.offer("some", counted_batches());
                server.run();
                exchanges.push_back(server.roles().group().counts().headers.collectives);
              },
              [&](auto& client) {
                auto options = some_options;
                options.bulk = bulk;
                remote<glt::counting_comm<decltype(comm)>> loader(client, "some", counted_seeds(0, 180), {}, options);
                CHECK(prints_of(loader, 0) == expected_of(0, 180, 60, 0));
              });
        }
        if (comm.rank() < 2) { // 30 rounds of two exchanges or more, where both servers make a batch, and 12 or less
          CHECK(exchanges[0] - exchanges[1] >= 36);
        }
      },
      {3});
}

TEST_CASE("a batch that cannot be made, and a loader that cannot be, are errors of their client; others go on") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          on_roles(
              comm, servers,
              [](auto& server) {
                server.offer("some", counted_batches());
                server.run();
              },
              [&](auto& client) {
                auto const own = client.roles().group_rank();
                auto const refused = [&](std::string const& offer, std::int64_t first_seed, std::int64_t failing_step,
                                         std::int64_t batch_size, std::int64_t bulk = 1) {
                  return glt_test::thrown<glt::error>([&] {
                    remote<comm_type>(client, offer, std::vector<glt::global_id>{first_seed}, {failing_step},
                                      {.batch_size = batch_size, .bulk = bulk}, {.together = false});
                  });
                };
                if (own == 0) {
                  CHECK(glt_test::names(refused("none", 1, -1, 1), "no offer \"none\"", "servers offer \"some\""));
                  CHECK(glt_test::names(refused("some", -1, -1, 1), "seed below 0"));
                  CHECK(glt_test::names(refused("some", 1, -2, 1), "rank 0", "counted batches that cannot be"));
                  CHECK(glt_test::names(refused("some", 1, -1, 0), "batch size 0"));
                  CHECK(glt_test::names(refused("some", 1, -1, 1, 0), "bulk 0", "make 1 to"));
                  auto const waits = glt_test::thrown<glt::error>([&] {
                    remote<comm_type>(client, "some", std::vector<glt::global_id>{1}, {-1}, {.batch_size = 1},
                                      {.together = false, .time_limit = std::chrono::seconds(-1)});
                  });
                  CHECK(glt_test::names(waits, "time_limit -1 s", "give 0 or more seconds"));
                }
                auto options = some_options;
                options.bulk = servers == 2 ? 3 : 1; // of which those before the failing one come
                remote<comm_type> loader(client, "some", counted_seeds(own, 30), {.failing_step = own == 0 ? 4 : -1},
                                         options, {.together = false});
                if (own > 0) {
                  CHECK(prints_of(loader, 1) == expected_of(own, 30, 10, 1));
                  return;
                }
                for (int round = 0; round < 2; ++round) {
                  std::int64_t batches = 0;
                  auto const text = glt_test::thrown<glt::collective_error>([&] {
                    for (auto const& batch : loader.epoch(1)) {
                      CHECK(batch.step == batches++);
                    }
                  });
                  CHECK(batches == 4);
                  CHECK(glt_test::names(text, "no batch of step 4"));
                  std::int64_t rest = 0;
                  for (auto const& batch : loader.epoch(1, 5)) {
                    rest += batch.num_seeds > 0 ? 1 : 0;
                  }
                  CHECK(rest == 5);
                }
              });
        }
      },
      sizes);
}

TEST_CASE("a client that stalls or goes early holds up nobody, and a wait may have a limit") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        on_roles(
            comm, 1,
            [](auto& server) {
              server.offer("some", counted_batches());
              server.run();
            },
            [&](auto& client) {
              auto const own = client.roles().group_rank();
              remote<comm_type> loader(client, "some", counted_seeds(own, 300), {}, some_options);
              if (own == 0) {
                std::int64_t steps = 0;
                for (auto const& batch : loader.epoch(0)) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(batch.step == 3 ? 100 : 0));
                  if (++steps == 5) {
                    return; // loader and client go, with batches on their way
                  }
                }
              }
              CHECK(prints_of(loader, 0) == expected_of(own, 300, 100, 0));
            });
        on_roles(
            comm, 1,
            [](auto& server) {
              server.register_service("sleep", [](std::int64_t milliseconds) {
                std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
                return milliseconds;
              });
              server.offer("some", counted_batches());
              server.run();
            },
            [&](auto& client) {
              auto const own = client.roles().group_rank();
              remote<comm_type> loader(client, "some", counted_seeds(own, 9), {}, some_options,
                                       {.time_limit = std::chrono::milliseconds(20)});
              if (own == 0) {
                auto pending = client.template request_async<std::int64_t>(0, "sleep", std::int64_t{300});
                auto const text = glt_test::thrown<glt::error>([&] { prints_of(loader, 0); });
                CHECK(
                    glt_test::names(text, "clients-0 has waited 0.02 s for step 0 of epoch 0 from servers-0 (rank 0)"));
                CHECK(pending.get() == 300);
              }
            });
      },
      {2, 3});
}

TEST_CASE("batches lie in memory that a server shares, as far as they fit") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          for (std::int64_t const bytes : {1 << 16, 704}) {
            auto node = glt_test::node_of(comm);
            auto roles = glt_test::joined(comm, servers);
            if (glt_test::is_server(roles)) {
              glt::dist::server server(roles, node, bytes);
              server.offer("some", counted_batches{.delays = true});
              server.run();
              continue;
            }
            glt::dist::client client(roles, node);
            auto const own = roles.group_rank();
            remote<comm_type> loader(client, "some", counted_seeds(own, 60), {}, some_options);
            remote<comm_type> other(client, "some", counted_seeds(own, 20), {}, some_options, {.together = false});
            CHECK(prints_of(loader, 0) == expected_of(own, 60, 20, 0));
            for (auto const& batch : loader.epoch(5)) { // left, with batches in the memory
              CHECK(batch.step == 0);
              break;
            }
            CHECK(prints_of(other, 2) == expected_of(own, 20, 7, 2));
            CHECK(prints_of(loader, 1) == expected_of(own, 60, 20, 1));
            auto wide = some_options;
            wide.batch_size = 100;
            remote<comm_type> large(client, "some", counted_seeds(own, 100), {}, wide, {.together = false});
            if (bytes > 1000) {
              CHECK(prints_of(large, 0).size() == 1);
            } else {
              CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { prints_of(large, 0); }),
                                    "bytes for shared memory of 704 bytes"));
            }
            for (auto const& batch : other.epoch(5)) { // loaders and client go, with batches in the memory
              CHECK(batch.step == 0);
              break;
            }
          }
        }
      },
      sizes);
}

TEST_CASE("clients call services, and servers tell why they cannot") {
  glt_test::on_ranks(
      [](auto comm) {
        on_roles(
            comm, comm.size() / 2,
            [](auto& server) {
              server.register_service("sum", [](std::vector<std::int64_t> const& values) {
                std::int64_t sum = 0;
                for (auto const value : values) {
                  sum += value;
                }
                return sum;
              });
              server.register_service("fail", [](std::string const& why) -> std::string { throw glt::error(why); });
              server.register_service("odd", [](std::int64_t value) -> std::int64_t { throw static_cast<int>(value); });
              CHECK_THROWS_AS(server.register_service("sum", [](std::int64_t value) { return value; }),
                              glt::precondition_error);
              server.run();
            },
            [](auto& client) {
              for (int const server : client.servers()) {
                std::vector<std::int64_t> const values{1, 2, server};
                auto first = client.template request_async<std::int64_t>(server, "sum", values);
                auto second = client.template request_async<std::string>(server, "fail", std::string("no reason"));
                auto const text = glt_test::thrown<glt::collective_error>([&] { static_cast<void>(second.get()); });
                CHECK(glt_test::names(text, "rank " + std::to_string(server), "no reason"));
                CHECK(first.get() == 3 + server);
                CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                                        static_cast<void>(client.template request<std::int64_t>(server, "other", 1));
                                      }),
                                      "no service \"other\""));
                CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                                        static_cast<void>(
                                            client.template request<std::int64_t>(server, "odd", std::int64_t{7}));
                                      }),
                                      "rank " + std::to_string(server), "unknown exception"));
              }
              for (int const other : {client.roles().world_rank(), -1, 99}) {
                CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                                        static_cast<void>(client.template request<std::int64_t>(other, "sum", 1));
                                      }),
                                      "rank " + std::to_string(other) + " does not serve clients-"));
              }
            });
      },
      {2, 3, 4});
}

TEST_CASE("a loader names each of its servers once, and none but servers") {
  glt_test::on_ranks(
      [](auto comm) {
        on_roles(
            comm, comm.size() / 2,
            [](auto& server) {
              server.offer("some", counted_batches());
              server.run();
            },
            [](auto& client) {
              using comm_type = decltype(comm);
              auto const own = client.roles().group_rank();
              auto const of_servers = [&](std::vector<int> servers, bool together) {
                return glt_test::thrown<glt::error>([&] {
                  remote<comm_type> loader(client, "some", counted_seeds(own, 30), {}, some_options,
                                           {.servers = std::move(servers), .together = together});
                  CHECK(prints_of(loader, 1) == expected_of(own, 30, 10, 1));
                });
              };
              auto const last = client.servers().back();
              CHECK(glt_test::names(of_servers({last, last, last}, false),
                                    "rank " + std::to_string(last) + " is named twice"));
              CHECK(glt_test::names(of_servers({last, last}, true), "named twice"));
              CHECK(glt_test::names(of_servers({client.roles().world_rank()}, false), "does not serve"));
              CHECK(of_servers({last}, false) == "(nothing was thrown)");
            });
      },
      {2, 3, 4});
}

TEST_CASE("clients that make a loader together agree on the steps before it") {
  glt_test::on_ranks(
      [](auto comm) {
        on_roles(
            comm, 1,
            [](auto& server) {
              server.offer("some", counted_batches());
              server.run();
            },
            [](auto& client) {
              using comm_type = decltype(comm);
              auto const own = client.roles().group_rank();
              auto const made = [&](std::int64_t steps_before, bool together) {
                auto options = some_options;
                options.steps_before = steps_before;
                return glt_test::thrown<glt::error>([&] {
                  remote<comm_type> loader(client, "some", counted_seeds(own, 30), {}, options, {.together = together});
                  CHECK(loader.num_steps() == steps_before + 10);
                });
              };
              if (client.roles().group_size() > 1) { // named by its rank in the world
                CHECK(glt_test::names(made(own == 1 ? 5 : 2, true), "rank 2: clients-1: begins an epoch after 5 steps",
                                      "rank 1 after 2", "steps_before"));
              }
              CHECK(made(own, false) == "(nothing was thrown)");
              CHECK(made(2, true) == "(nothing was thrown)");
            });
      },
      {2, 3, 4});
}

TEST_CASE("what loaders of many options need is freed when they are closed") {
  glt_test::on_ranks(
      [](auto comm) {
        on_roles(
            comm, comm.size() / 2,
            [](auto& server) {
              server.offer("some", counted_batches());
              server.register_service("makers", [](std::int64_t) { return glt_test::counted_life::number.load(); });
              server.run();
            },
            [](auto& client) {
              using comm_type = decltype(comm);
              auto const own = client.roles().group_rank();
              auto const expected = expected_of(own, 30, 10, 1);
              remote<comm_type> kept(client, "some", counted_seeds(own, 30), {.failing_step = 99}, some_options,
                                     {.together = false});
              std::int64_t most = 0;
              for (std::int64_t i = 0; i < 60; ++i) {
                auto const kind = i % 40; // some of those that were closed are opened again
                remote<comm_type> loader(client, "some", counted_seeds(own, 30), {.failing_step = 100 + kind},
                                         some_options, {.together = false});
                CHECK(prints_of(loader, 1) == expected);
                most = std::max(
                    most, client.template request<std::int64_t>(client.servers().front(), "makers", std::int64_t{0}));
              }
              CHECK(most <= 15 * std::ssize(client.servers()));
              CHECK(prints_of(kept, 1) == expected);
            });
      },
      {2, 3, 4});
}
