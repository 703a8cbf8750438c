// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/context.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

using glt::dist::role;
using glt::dist::role_context;
using glt_test::names;
using glt_test::on_ranks;
using glt_test::thrown;

namespace {

std::string const long_name(3000, 'c');

// Odd ranks are clients of a group with a long name, even ones servers.
role role_of(int rank) {
  return rank % 2 == 1 ? role::client : role::server;
}
std::string group_of(int rank) {
  return rank % 2 == 1 ? long_name : "s";
}

template <class Comm>
role_context<Comm> joined(Comm comm) {
  return {comm, role_of(comm.rank()), group_of(comm.rank())};
}

std::vector<int> every_second(int first, int size) {
  std::vector<int> ranks;
  for (int rank = first; rank < size; rank += 2) {
    ranks.push_back(rank);
  }
  return ranks;
}

} // namespace

TEST_CASE("every rank knows its own place and the groups of all") {
  on_ranks([](auto plain) {
    auto const context = joined(glt_test::minimal_communicator(plain));
    auto const rank = plain.rank();
    CHECK(context.role() == role_of(rank));
    CHECK(context.group_name() == group_of(rank));
    CHECK(context.world_rank() == rank);
    CHECK(context.world_size() == plain.size());
    CHECK(context.group_rank() == rank / 2);
    auto const servers = every_second(0, plain.size());
    auto const clients = every_second(1, plain.size());
    CHECK(context.group_size() == static_cast<int>((rank % 2 == 0 ? servers : clients).size()));
    REQUIRE(context.groups().size() == std::size_t(plain.size() == 1 ? 1 : 2));
    CHECK(context.groups()[0].name == "s");
    CHECK(context.groups()[0].role == role::server);
    CHECK(context.groups()[0].ranks == servers);
    CHECK(context.ranks_of(role::server) == servers);
    CHECK(context.ranks_of(role::client) == clients);
    CHECK(context.ranks_of(role::worker).empty());
    CHECK(std::ranges::equal(context.ranks_of("s"), servers));
    for (int other = 0; other < plain.size(); ++other) {
      CHECK(context.group_of(other).name == group_of(other));
      CHECK(context.name_of(other) == group_of(other) + '-' + std::to_string(other / 2));
    }
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(context.ranks_of("x")); }), "no group \"x\"",
                "groups are \"s\""));
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(context.name_of(plain.size())); }), "no rank"));
  });
}

TEST_CASE("ranks of a role may be in several groups, with worlds in any order") {
  on_ranks(
      [](auto comm) {
        std::vector<std::string> const groups{"left", "right", "left", "mid"};
        auto const rank = static_cast<std::size_t>(comm.rank());
        role_context const context(comm, rank == 3 ? role::server : role::trainer, groups[rank]);
        CHECK(context.ranks_of(role::trainer) == std::vector{0, 1, 2});
        CHECK(std::ranges::equal(context.ranks_of("left"), std::vector{0, 2}));
        CHECK(context.groups().size() == 3);
      },
      {4});
}

TEST_CASE("values and texts of all ranks, and of the group, are gathered by rank") {
  struct place {
    std::int32_t rank;
    char letter;
  };
  on_ranks([](auto comm) {
    auto context = joined(comm);
    auto const rank = comm.rank();
    auto const of_all = context.gather_world(10 * rank);
    auto const of_group = context.gather_group(place{rank, 'x'});
    auto const even = context.gather_world(rank % 2 == 0);
    auto const texts = context.gather_world(std::string(static_cast<std::size_t>(rank), 'a'));
    auto const names_of_group = context.gather_group("rank " + std::to_string(rank));
    REQUIRE(static_cast<int>(of_all.size()) == comm.size());
    for (int other = 0; other < comm.size(); ++other) {
      auto const i = static_cast<std::size_t>(other);
      CHECK(of_all[i] == 10 * other);
      CHECK(even[i] == (other % 2 == 0));
      CHECK(texts[i] == std::string(i, 'a'));
    }
    auto const ranks = every_second(rank % 2, comm.size());
    REQUIRE(of_group.size() == ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      CHECK(of_group[i].rank == ranks[i]);
      CHECK(of_group[i].letter == 'x');
      CHECK(names_of_group[i] == "rank " + std::to_string(ranks[i]));
    }
  });
}

TEST_CASE("a barrier returns when all ranks, or all of the group, have called it") {
  for (int const size : glt_test::some_ranks) {
    std::atomic<int> in_world{0};
    std::atomic<int> passed_servers{0};
    on_ranks(
        [&](auto comm) {
          constexpr bool one_process = std::same_as<decltype(comm), glt::threads_comm>;
          auto context = joined(comm);
          for (int round = 1; round <= 20; ++round) {
            for (int i = 0; i < 10 * ((comm.rank() + round) % comm.size()); ++i) {
              std::this_thread::yield();
            }
            ++in_world;
            context.world_barrier();
            CHECK(in_world >= round * (one_process ? comm.size() : 1));
            context.world_barrier();
          }
          // Clients come to their barrier only when the servers are through theirs.
          if (one_process && context.role() == role::client) {
            while (passed_servers < static_cast<int>(context.ranks_of(role::server).size())) {
              std::this_thread::yield();
            }
          }
          context.group_barrier();
          if (context.role() == role::server) {
            ++passed_servers;
          }
          CHECK(passed_servers >= (one_process || context.role() == role::server ? 1 : 0));
        },
        {size});
  }
}

TEST_CASE("joining, barriers and gathers cost what they say") {
  on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    auto const ranks = comm.size();
    role_context context(comm, role::trainer, "all");
    comm.reset();
    context.world_barrier();
    CHECK(comm.counts().total().collectives == (ranks == 1 ? 0 : 1));
    comm.reset();
    CHECK(context.gather_world(std::int64_t{1}).size() == static_cast<std::size_t>(ranks));
    CHECK(comm.counts().total().collectives == (ranks == 1 ? 0 : 2));
    CHECK(comm.counts().payload.bytes == 8 * (ranks - 1));
  });
}

TEST_CASE("groups that do not go together are the same error on all ranks") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const is_last = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    auto const refusal = [&](role what, std::string const& group) {
      return thrown<glt::collective_error>([&] { role_context(comm, what, group); });
    };
    CHECK(names(refusal(role::trainer, is_last ? "" : "trainers"), name, "group without a name"));
    CHECK(names(refusal(is_last ? static_cast<role>(77) : role::server, "servers"), name, "unknown role"));
    if (last > 0) {
      CHECK(names(refusal(is_last ? role::client : role::server, "all"), name, "group \"all\" as client",
                  "rank 0 as server"));
    }
  });
}

TEST_CASE("calls that do not match are the same error on all ranks") {
  on_ranks(
      [](auto comm) {
        auto context = joined(comm);
        bool const is_last = comm.rank() == comm.size() - 1;
        auto const name = "rank " + std::to_string(comm.size() - 1);
        auto const refusal = [&](auto of_last, auto of_others) {
          return thrown<glt::collective_error>([&] {
            if (is_last) {
              of_last();
            } else {
              of_others();
            }
          });
        };
        auto const wait = [&] { context.world_barrier(); };
        auto const gather_int = [&] { static_cast<void>(context.gather_world(std::int32_t{1})); };
        auto const gather_long = [&] { static_cast<void>(context.gather_world(std::int64_t{1})); };
        auto const gather_text = [&] { static_cast<void>(context.gather_world("text")); };
        CHECK(names(refusal(wait, gather_int), name, "make the same calls"));
        CHECK(names(refusal(gather_long, gather_int), name, "make the same calls"));
        CHECK(names(refusal(gather_text, gather_int), name, "make the same calls"));
        context.world_barrier();
      },
      {2, 3, 4});
}

TEST_CASE("a failure reaches the ranks of its group by a guard of the group, and the others by one of the world") {
  on_ranks([](auto comm) {
    auto context = joined(comm);
    auto const last = comm.size() - 1;
    auto const in_group = [&] {
      glt::run_collectively(context.group(), [&] {
        if (comm.rank() == last) {
          throw glt::error("its disk fails");
        }
        context.group_barrier();
      });
    };
    auto const of_group = thrown<glt::collective_error>(in_group);
    auto const group = context.name_of(last).substr(0, 64);
    auto const place = "-" + std::to_string(last / 2) + ": its disk fails";
    CHECK((comm.rank() % 2 == last % 2 ? names(of_group, "rank " + std::to_string(last) + ": " + group, place)
                                       : of_group == "(nothing was thrown)"));
    CHECK(names(thrown<glt::collective_error>([&] {
                  glt::run_collectively(comm, [&] {
                    in_group();
                    context.world_barrier();
                  });
                }),
                "rank " + std::to_string(last) + ": " + group, place));
    auto const in_world = [&] {
      glt::run_collectively(comm, [&] {
        try {
          in_group();
        } catch (glt::collective_error const& failure) {
          throw glt::error(failure.what());
        }
        context.world_barrier();
      });
    };
    CHECK(names(thrown<glt::collective_error>(in_world), "rank " + std::to_string(last % 2), "its disk fails"));
  });
}
