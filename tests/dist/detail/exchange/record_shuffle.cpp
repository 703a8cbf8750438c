// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/record_shuffle.hpp>

#include <glt/core/random.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using record = std::array<std::int32_t, 3>;

// What rank `from` sends in a round: records for random ranks, none in some rounds.
std::vector<std::pair<int, record>> sent_by(int from, int ranks, std::int32_t round) {
  glt::random_stream draws(glt::random_key(5).fold(static_cast<std::uint64_t>(round)),
                           static_cast<std::uint64_t>(from));
  std::vector<std::pair<int, record>> all;
  auto const count = static_cast<std::int32_t>(draws.below(20)) - 5;
  for (std::int32_t i = 0; i < count; ++i) {
    auto const to = static_cast<int>(draws.below(static_cast<std::uint64_t>(ranks)));
    all.push_back({to, {from, round, i}});
  }
  return all;
}

} // namespace

TEST_CASE("records arrive at their ranks in the order of ranks and of sending, round by round") {
  glt_test::on_ranks([](auto comm) {
    glt::detail::record_shuffle shuffle(comm, sizeof(record));
    std::int64_t wrong = 0;
    for (std::int32_t round = 0; round < 12; ++round) {
      std::vector<record> expected;
      for (int from = 0; from < comm.size(); ++from) {
        for (auto const& [to, one] : sent_by(from, comm.size(), round)) {
          if (to == comm.rank()) {
            expected.push_back(one);
          }
          if (from == comm.rank()) {
            shuffle.add(to, one.data());
          }
        }
      }
      std::vector<record> taken;
      shuffle.exchange(
          round, {}, [&](std::byte const* bytes) { std::memcpy(taken.emplace_back().data(), bytes, sizeof(record)); });
      wrong += taken != expected ? 1 : 0;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("a rank that cannot go on ends the shuffle of all") {
  glt_test::on_ranks([](auto comm) {
    glt::detail::record_shuffle shuffle(comm, 8);
    auto const text = glt_test::thrown<glt::collective_error>([&] {
      shuffle.exchange(3, comm.rank() == comm.size() - 1 ? "the disk is full" : "", [](std::byte const*) {});
    });
    CHECK(glt_test::names(text, "rank " + std::to_string(comm.size() - 1), "the disk is full"));
  });
}
