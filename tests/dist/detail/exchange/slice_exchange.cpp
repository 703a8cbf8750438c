// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/slice_exchange.hpp>

#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

TEST_CASE("slices arrive in the order of their ranks, the own one included") {
  glt_test::on_ranks([](auto comm) {
    glt::detail::slice_exchange<decltype(comm)> exchange(comm);
    // Rank a sends (a + b) % 3 numbers to rank b.
    auto const size = [](int a, int b) { return (a + b) % 3; };
    for (int round = 0; round < 2; ++round) {
      std::vector<std::int64_t> from;
      std::vector<std::int64_t> from_offsets{0};
      std::vector<std::int64_t> expected;
      std::vector<std::int64_t> to_offsets{0};
      for (int rank = 0; rank < comm.size(); ++rank) {
        for (int i = 0; i < size(comm.rank(), rank); ++i) {
          from.push_back(1000 * round + 100 * comm.rank() + 10 * rank + i);
        }
        for (int i = 0; i < size(rank, comm.rank()); ++i) {
          expected.push_back(1000 * round + 100 * rank + 10 * comm.rank() + i);
        }
        from_offsets.push_back(static_cast<std::int64_t>(from.size()));
        to_offsets.push_back(static_cast<std::int64_t>(expected.size()));
      }
      std::vector<std::int64_t> to(expected.size(), -1);
      exchange.start_slices(glt::host_view<std::int64_t const>(from), from_offsets, glt::host_view<std::int64_t>(to),
                            to_offsets);
      exchange.wait();
      CHECK(to == expected);
    }
  });
}
