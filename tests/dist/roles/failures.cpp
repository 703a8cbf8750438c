// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/server.hpp>

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/roles/detail/role_mailbox.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/options.hpp>

#include "support/allocations.hpp"
#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/nodes.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"
#include "support/usage.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using glt_test::counted_batches;
using glt_test::counted_seeds;
using glt_test::is_server;
using glt_test::joined;
using glt_test::knows_memory;
using glt_test::own_usage;
using glt_test::prints_of;
using glt_test::usage_in_turn;

namespace {

constexpr glt::dist::loader_options some_options{.batch_size = 3, .shuffle = true, .seed = 5};

template <class Comm>
using remote = glt::dist::remote_loader<Comm, counted_batches>;

// Servers by clients that are as many as the ranks of a test.
std::vector<int> servers_of_size(int ranks) {
  return ranks == 2 ? std::vector{1} : ranks == 3 ? std::vector{1, 2} : std::vector{1, 2, 3};
}

// Runs `work` on all ranks under a guard of the world, and returns what it fails with.
template <class Comm, class Work>
std::string failure_in_world(Comm comm, Work work) {
  return glt_test::thrown<glt::collective_error>([&] { glt::run_collectively(comm, work); });
}

// Large enough that ranks of MPI do not send it before it is asked for.
constexpr std::int64_t many_seeds = 4000;

// Exception of a batch that its server cannot pack into a message.
enum class packing_failure { none, error, number };

struct unsendable_batch : glt_test::counted_batch {
  packing_failure failure = packing_failure::none;

  template <class Self>
  static auto members(Self& self) {
    if (self.failure == packing_failure::error) {
      throw std::runtime_error("its message cannot be packed");
    }
    if (self.failure == packing_failure::number) {
      throw 7; // not a std::exception
    }
    return counted_batch::members(self);
  }
};

// Counted batches. Servers that have a `failure` cannot pack the batches from step 5 on.
struct unsendable_batches : counted_batches {
  template <glt::device_policy>
  using batch_on = unsendable_batch;

  packing_failure failure = packing_failure::none;

  unsendable_batches with(options_type) const { return *this; }

  template <glt::communicator Comm, glt::device_policy Policy>
  class maker : public counted_batches::maker<Comm, Policy> {
    using base = counted_batches::maker<Comm, Policy>;

  public:
    using batch_type = unsendable_batch;

    maker(Comm comm, unsendable_batches const& recipe, Policy policy)
        : base(std::move(comm), recipe, policy), failure_(recipe.failure) {}

    void make(seeds_type const& seeds, glt::sample_key key, batch_type& out) {
      base::make(seeds, key, out);
      out.failure = key.step >= 5 ? failure_ : packing_failure::none;
    }

  private:
    packing_failure failure_;
  };
};

} // namespace

TEST_CASE("a server that fails outside of batches ends all servers, and clients hear which one and why") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          for (int const failing : {0, servers - 1}) {
            CAPTURE(servers);
            CAPTURE(failing);
            auto const cause = "servers-" + std::to_string(failing) + ": unknown exception";
            auto roles = joined(comm, servers);
            if (is_server(roles)) {
              glt::dist::server server(roles);
              unsendable_batches recipe;
              recipe.failure = comm.rank() == failing ? packing_failure::number : packing_failure::none;
              server.offer("some", recipe);
              CHECK(glt_test::names(glt_test::thrown<glt::error>([&] { server.run(); }), cause));
              continue;
            }
            glt::dist::client client(roles);
            using loader_type = glt::dist::remote_loader<comm_type, unsendable_batches>;
            typename loader_type::remote_options all_servers;
            for (int server = 0; server < servers; ++server) {
              all_servers.servers.push_back(server);
            }
            loader_type loader(client, "some", counted_seeds(roles.group_rank(), 90), {}, some_options, all_servers);
            auto const rank = "rank " + std::to_string(failing);
            CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { prints_of(loader, 0); }), rank, cause));
            CHECK(glt_test::names(
                glt_test::thrown<glt::collective_error>([&] { loader_type(client, "some", counted_seeds(0, 9), {}); }),
                cause));
          }
        }
        comm.barrier();
      },
      {2, 3, 4});
}

TEST_CASE("a batch that cannot be sent is an error of its client; servers and others go on") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          auto roles = joined(comm, servers);
          if (is_server(roles)) {
            glt::dist::server server(roles);
            unsendable_batches recipe;
            recipe.failure = packing_failure::error;
            server.offer("some", recipe);
            server.offer("others", counted_batches());
            server.run();
            continue;
          }
          glt::dist::client client(roles);
          auto const own = roles.group_rank();
          if (own == 0) {
            glt::dist::remote_loader<comm_type, unsendable_batches> loader(client, "some", counted_seeds(own, 30), {},
                                                                           some_options, {.together = false});
            for (int epoch = 0; epoch < 2; ++epoch) {
              std::int64_t batches = 0;
              auto const text = glt_test::thrown<glt::collective_error>([&] {
                for (auto const& batch : loader.epoch(epoch)) {
                  CHECK(batch.step == batches++);
                }
              });
              CHECK(batches == 5);
              CHECK(glt_test::names(text, "its message cannot be packed"));
            }
          }
          remote<comm_type> loader(client, "others", counted_seeds(own, 30), {}, some_options);
          glt::serial_comm alone;
          glt::dist::loader expected(alone, counted_batches(), counted_seeds(own, 30), some_options);
          CHECK(prints_of(loader, 1) == prints_of(expected, 1));
        }
      },
      {2, 3, 4});
}

TEST_CASE("a server that fails before it runs is an error of all ranks") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          for (int const failing : {0, servers - 1}) {
            for (bool const has_server : {false, true}) {
              CAPTURE(servers);
              CAPTURE(failing);
              CAPTURE(has_server);
              std::string of_client;
              auto const failure = failure_in_world(comm, [&] {
                auto roles = joined(comm, servers);
                bool const fails = roles.world_rank() == failing;
                auto const fail = [&] {
                  std::this_thread::sleep_for(std::chrono::milliseconds(20)); // others wait by then
                  throw std::runtime_error("its disk fails");
                };
                if (!is_server(roles)) {
                  glt::dist::client client(roles);
                  of_client = glt_test::thrown<glt::collective_error>([&] {
                    auto const seeds = counted_seeds(0, roles.group_rank() == 0 ? 9 : many_seeds);
                    remote<comm_type> loader(client, "some", seeds, {}, some_options, {.together = false});
                    prints_of(loader, 0);
                    static_cast<void>(client.template request<std::int64_t>(failing, "sum", std::int64_t{7}));
                  });
                  return;
                }
                if (fails && !has_server) {
                  fail();
                }
                glt::dist::server server(roles);
                server.offer("some", counted_batches());
                if (fails) {
                  fail();
                }
                server.run();
              });
              auto const name = "servers-" + std::to_string(failing) + ": has gone before it served";
              auto const says_why = [&](std::string const& text) { // of the failure, or of what follows from it
                return glt_test::names(text, "its disk fails") || glt_test::names(text, name);
              };
              CHECK(says_why(failure));
              if (failing == 0) {
                CHECK(glt_test::names(failure, "rank 0: its disk fails"));
              }
              if (comm.rank() >= servers && has_server) {
                CHECK(says_why(of_client));
              }
            }
          }
        }
      },
      {2, 3, 4});
}

TEST_CASE("a client that throws in the middle of an epoch holds up nobody, and a guard tells all ranks") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          for (std::int64_t const batch_size : {std::int64_t{3}, many_seeds}) {
            CAPTURE(servers);
            CAPTURE(batch_size);
            std::int64_t steps = 0;
            bool const in_group = batch_size == 3; // a guard of its own, besides that of the world
            auto const text = failure_in_world(comm, [&] {
              auto roles = joined(comm, servers);
              if (is_server(roles)) {
                glt::dist::server server(roles);
                server.offer("some", counted_batches());
                server.run();
                return;
              }
              auto const train = [&] {
                glt::dist::client client(roles);
                auto options = some_options;
                options.batch_size = batch_size;
                remote<comm_type> loader(client, "some", counted_seeds(roles.group_rank(), 12 * batch_size), {},
                                         options);
                for (auto const& batch : loader.epoch(0)) {
                  ++steps;
                  if (roles.group_rank() == 0 && batch.step == 4) {
                    throw std::runtime_error("its loss is no number");
                  }
                }
              };
              if (in_group) {
                glt::run_collectively(roles.group(), train);
              } else {
                train();
              }
            });
            CHECK(glt_test::names(text, "rank " + std::to_string(servers), "its loss is no number"));
            CHECK((comm.rank() < servers ? steps == 0 : steps == (comm.rank() == servers ? 5 : 12)));
          }
        }
      },
      {2, 3, 4});
}

TEST_CASE("what clients fail with together, servers hear by a guard of the world") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          CAPTURE(servers);
          auto const failure = failure_in_world(comm, [&] {
            auto roles = joined(comm, servers);
            if (is_server(roles)) {
              glt::dist::server server(roles);
              server.offer("some", counted_batches());
              server.run();
              return;
            }
            glt::dist::client client(roles);
            remote<comm_type> const loader(client, "same", counted_seeds(0, 9), {}, some_options);
          });
          CHECK(glt_test::names(failure, "rank " + std::to_string(servers), "\"same\""));
        }
      },
      {2, 3, 4});
}

TEST_CASE("a server that goes before it serves, without memory to say so, does not end the process") {
  for (int const number : {1, 2, 3}) {
    CHECK_THROWS(glt::run_threads(2, [&](auto comm) {
      using comm_type = decltype(comm);
      auto roles = joined(comm, 1);
      if (is_server(roles)) {
        std::optional<glt::dist::server<comm_type>> server(std::in_place, roles);
        glt_test::failing_allocation const no_memory(number);
        server.reset();
        throw std::runtime_error("out of memory");
      }
      glt::dist::client client(roles);
      remote<comm_type> const loader(client, "some", counted_seeds(0, 9), {}, some_options);
    }));
  }
}

TEST_CASE("servers and clients end with batches on their way") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        for (int const servers : servers_of_size(comm.size())) {
          for (std::int64_t const batch_size : {std::int64_t{3}, many_seeds}) {
            auto roles = joined(comm, servers);
            if (is_server(roles)) {
              glt::dist::server server(roles);
              server.offer("some", counted_batches{.delays = true});
              server.run();
              continue;
            }
            glt::dist::client client(roles);
            auto options = some_options;
            options.batch_size = batch_size;
            options.prefetch = 8;
            for (int loaders = 0; loaders < 3; ++loaders) {
              remote<comm_type> loader(client, "some", counted_seeds(roles.group_rank(), 20 * batch_size), {}, options);
              auto const range = loader.epoch(loaders);
              CHECK(range.begin() != range.end());
            }
          }
        }
      },
      {2, 3, 4});
}

namespace {

// Trains on `steps` small batches, through messages or, with `bytes`, memory that is shared; what grows meanwhile is an
// error.
template <class Comm, class Node>
void train_long(Comm comm, Node node, std::int64_t steps, std::int64_t bytes) {
  auto roles = joined(comm, 1);
  if (is_server(roles)) {
    auto const serve = [](auto&& server) {
      server.offer("some", counted_batches());
      server.register_service("kilobytes", [](std::int64_t) { return own_usage().kilobytes; });
      server.run();
    };
    if (bytes > 0) {
      serve(glt::dist::server(roles, node, bytes));
    } else {
      serve(glt::dist::server(roles));
    }
    return;
  }
  auto const train = [&](auto&& client) {
    auto options = some_options;
    options.batch_size = 32;
    remote<Comm> loader(client, "some", counted_seeds(roles.group_rank(), 32 * steps), {}, options);
    std::vector<std::int64_t> before;
    auto const measure = [&] {
      return std::vector{own_usage().kilobytes, client.template request<std::int64_t>(0, "kilobytes", std::int64_t{0})};
    };
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      std::int64_t seeds = 0;
      for (auto const& batch : loader.epoch(epoch)) {
        seeds += batch.num_seeds;
        if (batch.step == 999) {
          before = measure();
        }
      }
      CHECK(seeds == 32 * steps);
      auto const after = measure();
      auto const grown = glt::reduce_over_ranks(roles.group(), std::max(after[0] - before[0], after[1] - before[1]),
                                                glt::reduction::max);
      if (grown < 1024 || !knows_memory) { // 100 bytes a batch
        return;
      }
      CHECK_MESSAGE(epoch < 2, grown,
                    " KiB more in every epoch"); // the buffers of MPI grow where ranks must wait, once
    }
  };
  if (bytes > 0) {
    train(glt::dist::client(roles, node));
  } else {
    train(glt::dist::client(roles));
  }
}

} // namespace

TEST_CASE("memory, files and mappings do not grow with the number of batches and of servers") {
  glt_test::on_ranks(
      [](auto comm) {
        for (std::int64_t const bytes : {0, 1 << 16}) {
          CAPTURE(bytes);
          auto node = glt_test::node_of(comm);
          train_long(comm, node, 1000, bytes);
          auto const before = usage_in_turn(comm);
          train_long(comm, node, 10000, bytes);
          auto const after = usage_in_turn(comm);
          CHECK(after.files <= before.files);
          CHECK(after.shared <= before.shared);
        }
      },
      {2, 3});
}

TEST_CASE("a client that sends what its server cannot understand is served no more and hears why; others go on") {
  using glt::detail::service_message;
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        constexpr auto unknown = static_cast<service_message>(99);
        for (auto const kind :
             {unknown, service_message::batch, service_message::open, service_message::begin, service_message::credit,
              service_message::close, service_message::request, service_message::goodbye}) {
          CAPTURE(static_cast<std::int64_t>(kind));
          for (int servers = 1; servers < comm.size() - 1; ++servers) {
            auto roles = joined(comm, servers);
            if (is_server(roles)) {
              glt::dist::server server(roles);
              server.offer("some", counted_batches());
              server.run();
              continue;
            }
            if (roles.group_rank() > 0) {
              glt::dist::client client(roles);
              remote<comm_type> loader(client, "some", counted_seeds(roles.group_rank(), 300), {}, some_options,
                                       {.together = false});
              CHECK(prints_of(loader, 0).size() == 100);
              continue;
            }
            auto box = glt::detail::join_mailbox(roles); // speaks for itself
            box.send(0, static_cast<std::int64_t>(kind), {});
            auto const answer = box.receive_from(0, glt::detail::for_ever);
            REQUIRE(answer.has_value());
            REQUIRE(static_cast<service_message>(answer->kind) == service_message::gone);
            glt::detail::failed_message head;
            glt::detail::read_message(*answer).get(head);
            CHECK(head.rank == 0);
            bool const is_known = kind != unknown && kind != service_message::batch;
            CHECK(glt_test::names(head.cause, "cannot understand clients-0: message of ",
                                  is_known ? "0 bytes is too short" : "unknown kind", "the same program"));
            for (int server = 0; server < servers; ++server) {
              glt::detail::send_packed(box, server, service_message::goodbye, std::int64_t{0});
            }
            for (int server = 1; server < servers; ++server) {
              auto const farewell = box.receive_from(server, glt::detail::for_ever);
              CHECK(static_cast<service_message>(farewell->kind) == service_message::farewell);
            }
            box.flush();
          }
        }
        comm.barrier();
      },
      {3, 4});
}
