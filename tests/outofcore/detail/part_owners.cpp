// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/edge_shuffle.hpp>

TEST_CASE("every part has one rank, neighbours go together, and ranks differ by one part at most") {
  for (int const parts : {1, 2, 5, 12}) {
    for (int const ranks : {1, 2, 5, 7}) {
      CAPTURE(parts);
      CAPTURE(ranks);
      glt::io::detail::part_owners const owners(parts, ranks);
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        auto const [first, last] = owners.parts_of(rank);
        CHECK(first == next);
        CHECK(last - first >= parts / ranks);
        CHECK(last - first <= (parts + ranks - 1) / ranks);
        for (; next < last; ++next) {
          CHECK(owners.rank_of(next) == rank);
        }
      }
      CHECK(next == parts);
    }
  }
}
