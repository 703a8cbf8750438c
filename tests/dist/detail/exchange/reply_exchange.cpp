// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/detail/exchange/ragged_replies.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using glt::detail::reply_exchange;
using glt_test::names;
using glt_test::thrown;

namespace {

// Rank r asks rank s for (r + 2 s) % 3 items.
std::int64_t wanted(std::size_t r, std::size_t s) {
  return static_cast<std::int64_t>((r + 2 * s) % 3);
}

struct asked_counts {
  std::vector<std::int64_t> asked;
  std::vector<std::int64_t> received;

  asked_counts(int rank, int ranks) {
    for (int other = 0; other < ranks; ++other) {
      bool const own = other == rank;
      asked.push_back(own ? 0 : wanted(static_cast<std::size_t>(rank), static_cast<std::size_t>(other)));
      received.push_back(own ? 0 : wanted(static_cast<std::size_t>(other), static_cast<std::size_t>(rank)));
    }
  }
};

} // namespace

TEST_CASE("Answers come to those who asked, and a rank that cannot serve leaves nobody waiting") {
  glt_test::on_ranks([](auto comm) {
    asked_counts const counts(comm.rank(), comm.size());
    reply_exchange replies("stars");
    glt::detail::byte_counts sizes;
    std::vector<std::byte> out;
    auto const serve = [&] { // as many bytes as were asked for, and one more
      std::vector<std::int64_t> lengths;
      for (auto const count : counts.received) {
        lengths.push_back(count > 0 ? count + 1 : 0);
      }
      sizes.set(lengths, 1);
      out.assign(static_cast<std::size_t>(sizes.total()), static_cast<std::byte>(comm.rank() + 40));
      return sizes.out(out.data());
    };
    auto const check = [&](int failing) {
      for (std::size_t rank = 0; rank < counts.asked.size(); ++rank) {
        auto const count = counts.asked[rank];
        if (count == 0 || static_cast<int>(rank) == failing) {
          CHECK(names(thrown<glt::error>([&] { static_cast<void>(replies.from(rank)); }),
                      "rank " + std::to_string(rank), "request for stars"));
        } else {
          auto const answer = replies.from(rank);
          REQUIRE(std::ssize(answer) == count + 1);
          CHECK(answer.back() == static_cast<std::byte>(rank + 40));
        }
      }
    };
    replies.run(comm, counts.asked, counts.received, serve);
    check(-1);
    for (int failing = 0; failing < comm.size(); ++failing) {
      auto const fault = thrown<std::runtime_error>([&] {
        replies.run(comm, counts.asked, counts.received, [&]() -> glt::outgoing {
          if (comm.rank() == failing) {
            throw std::runtime_error("out of stars");
          }
          return serve();
        });
      });
      CHECK((fault == "out of stars") == (comm.rank() == failing));
      check(failing);
    }
    replies.run(comm, counts.asked, counts.received, serve); // and can go on
    check(-1);
  });
}

TEST_CASE("a rank of a group that cannot serve is named by its number in the world") {
  glt_test::on_ranks([](auto comm) {
    auto group = comm.split(0, -comm.rank()); // the last rank is the first
    auto const ranks = static_cast<std::size_t>(comm.size());
    std::vector<std::int64_t> asked(ranks, 0);
    std::vector<std::int64_t> received(ranks, 0);
    (group.rank() == 0 ? received : asked)[group.rank() == 0 ? ranks - 1 : 0] =
        ranks > 1 && (group.rank() == 0 || group.rank() == group.size() - 1) ? 1 : 0;
    reply_exchange replies("stars");
    auto const fault = thrown<std::runtime_error>([&] {
      replies.run(group, asked, received, [&]() -> glt::outgoing { throw std::runtime_error("out of stars"); });
    });
    CHECK(fault == "out of stars");
    if (ranks > 1 && comm.rank() == 0) {
      CHECK(names(thrown<glt::error>([&] { static_cast<void>(replies.from(0)); }),
                  "rank " + std::to_string(ranks - 1) + " could not answer a request for stars"));
    }
  });
}
