// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/pick/pick.hpp>

#include <glt/core/random.hpp>
#include <glt/sample/detail/pick/pick.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#if defined(GLT_HAS_LANES)

TEST_CASE("picks in vector registers are Floyd's, on rows where most and where few picks are repeated") {
  std::int64_t finished = 0;
  std::int64_t wrong = 0;
  glt::random_stream draws(glt::random_key(12), 0);
  for (int i = 0; i < 20000; ++i) {
    auto const count = 1 + static_cast<int>(draws.below(16));
    auto const degree = count + 1 + static_cast<std::int64_t>(draws.below(std::uint64_t{1} << draws.below(31)));
    glt::random_stream const stream(glt::random_key(draws.next64()), draws.next64());
    std::vector<std::int32_t> expected(static_cast<std::size_t>(count));
    glt::detail::pick_distinct(stream, degree, count, expected.data());
    std::int32_t picks[16] = {};
    for (auto* const pick : {glt::detail::pick_distinct_at_once, glt::detail::pick_distinct_in_two_lanes}) {
      if (pick(stream, degree, count, picks)) {
        ++finished;
        wrong += std::equal(expected.begin(), expected.end(), picks) ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(finished > 30000);
}

#endif
