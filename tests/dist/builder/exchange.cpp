// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/builder/exchange.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

// Items that rank `from` sends to rank `to`; many in some cases, none in others.
template <class T>
std::vector<T> items_between(int from, int to, int number) {
  std::vector<T> items(static_cast<std::size_t>((from * 7 + to * 5 + number * 3) % 11 * (number == 0 ? 0 : 1)));
  std::iota(items.begin(), items.end(), static_cast<T>(from * 20 + to));
  return items;
}

} // namespace

TEST_CASE_TEMPLATE("lists of any length arrive by sender, whatever the size of a round", T, std::int8_t, double) {
  glt_test::on_ranks([](auto comm) {
    for (int number = 0; number < 4; ++number) {
      std::vector<T> items;
      std::vector<std::int64_t> counts;
      for (int to = 0; to < comm.size(); ++to) {
        auto const of_rank = items_between<T>(comm.rank(), to, number);
        items.insert(items.end(), of_rank.begin(), of_rank.end());
        counts.push_back(std::ssize(of_rank));
      }
      for (std::int64_t const bytes : {0, 1, 40, 1 << 20}) {
        auto const received = glt::dist::exchange<T>(comm, items, counts, bytes);
        CHECK(received.items.size() == received.offsets.back());
        for (int from = 0; from < comm.size(); ++from) {
          auto const list = received.from(from);
          CHECK(std::vector<T>(list.begin(), list.end()) == items_between<T>(from, comm.rank(), number));
        }
      }
    }
  });
}

TEST_CASE("an exchange with wrong counts on one rank fails on all") {
  glt_test::on_ranks([](auto comm) {
    std::vector<int> const items(3);
    auto const fails = [&](std::vector<std::int64_t> const& wrong) {
      std::vector<std::int64_t> right(static_cast<std::size_t>(comm.size()), 0);
      right[0] = 3;
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(glt::dist::exchange<int>(comm, items, comm.rank() == comm.size() - 1 ? wrong : right));
      });
    };
    std::vector<std::int64_t> other(static_cast<std::size_t>(comm.size()), 0);
    CHECK(glt_test::names(fails(other), "exchange of 3 items", "the counts say 0"));
    other[0] = -1;
    CHECK(glt_test::names(fails(other), "0 or more"));
    other.push_back(3);
    CHECK(glt_test::names(fails(other), "one per rank"));
    auto const last = comm.size() - 1;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), 0);
    counts[0] = 3;
    auto const rounds = glt_test::thrown<glt::error>(
        [&] { static_cast<void>(glt::dist::exchange<int>(comm, items, counts, comm.rank() == last ? 8 : 64)); });
    CHECK((last == 0 || glt_test::names(rounds, "rank " + std::to_string(last), "passes round_bytes 8",
                                        "rank 0 passes 64", "pass the same on all ranks")));
  });
}
