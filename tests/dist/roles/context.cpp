// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/context.hpp>

#include <glt/comm/guard.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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

TEST_CASE("values are gathered over the ranks of a group") {
  on_ranks([](auto comm) {
    auto context = joined(comm);
    auto const of_group = glt::gather_over_ranks(context.group(), comm.rank());
    CHECK(of_group == every_second(comm.rank() % 2, comm.size()));
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
        auto const wait = [&] { glt::run_together(context.world(), [] {}); };
        auto const gather = [&] { static_cast<void>(glt::gather_over_ranks(context.world(), 1)); };
        auto const reduce = [&] {
          static_cast<void>(glt::reduce_over_ranks(context.world(), 1.0, glt::reduction::sum));
        };
        CHECK(names(refusal(wait, gather), name, "make the same calls"));
        CHECK(names(refusal(reduce, gather), name, "make the same calls"));
        CHECK(names(refusal(wait, reduce), name, "make the same calls"));
        wait();
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
        glt::run_together(context.group(), [] {});
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
                    glt::run_together(context.world(), [] {});
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
        glt::run_together(context.world(), [] {});
      });
    };
    CHECK(names(thrown<glt::collective_error>(in_world), "rank " + std::to_string(last % 2), "its disk fails"));
  });
}
