// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/partition/detail/part_capacities.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

TEST_CASE("the smallest part is the lowest of the least size, whatever grows") {
  for (int const num_parts : {1, 2, 3, 17}) {
    glt::detail::part_sizes sizes(num_parts);
    std::vector<std::int64_t> naive(static_cast<std::size_t>(num_parts), 0);
    CHECK(sizes.num_parts() == naive.size());
    glt::random_stream draws(glt::random_key(3), static_cast<std::uint64_t>(num_parts));
    for (int i = 0; i < 500; ++i) {
      if (i == 250) {
        sizes.clear();
        std::ranges::fill(naive, 0);
      }
      auto const smallest = static_cast<std::size_t>(std::ranges::min_element(naive) - naive.begin());
      REQUIRE(sizes.smallest() == smallest);
      // Half of the vertices go to the smallest part, the others anywhere.
      auto const part = i % 2 == 0 ? smallest : draws.below(naive.size());
      sizes.add(part);
      ++naive[part];
      REQUIRE(sizes[part] == naive[part]);
    }
  }
}

TEST_CASE("smaller parts come first, then lower ones") {
  glt::detail::part_sizes sizes(3);
  sizes.add(0);
  CHECK(sizes.precedes(1, 0));
  CHECK(sizes.precedes(1, 2));
  CHECK(!sizes.precedes(2, 1));
  CHECK(!sizes.precedes(0, 2));
  CHECK(!sizes.precedes(1, 1));
}
