// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/hottest_vertices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

using namespace glt;

TEST_CASE("a bound leaves at least as many vertices as are wanted and few more above it") {
  for (int const ranks : {1, 3, 40, 300}) {
    detail::frequency_histogram const summary(ranks);
    auto const size = static_cast<std::size_t>(summary.size());
    std::vector<std::int64_t> all;
    std::vector<std::vector<std::int64_t>> heats(static_cast<std::size_t>(ranks));
    for (std::size_t rank = 0; rank < heats.size(); ++rank) {
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(37 * rank % 101); ++i) {
        heats[rank].push_back(1 + (i * 7919 + static_cast<std::int64_t>(rank) * 31) % 997);
      }
      std::ranges::sort(heats[rank], std::greater<>());
      all.insert(all.end(), heats[rank].begin(), heats[rank].end());
    }
    for (std::int64_t const count : {1, 5, 100, 1000000}) {
      CAPTURE(ranks);
      CAPTURE(count);
      std::vector<std::int64_t> words(size * heats.size());
      for (std::size_t rank = 0; rank < heats.size(); ++rank) {
        summary.write(heats[rank], count, std::span(words).subspan(rank * size, size));
      }
      auto const bound = summary.bound(words, count);
      auto const reach = std::ranges::count_if(all, [&](auto heat) { return heat >= bound; });
      auto const above = std::ranges::count_if(all, [&](auto heat) { return heat > bound; });
      CHECK(reach >= std::min(count, std::ssize(all)));
      CHECK(above < count + 4 * ranks);
    }
  }
}

TEST_CASE("ties go to the lower ranks") {
  std::vector<std::int64_t> const ties{2, 0, 5};
  CHECK(detail::select_hottest({1, 2, 3}, ties, 6) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(detail::select_hottest({1, 2, 3}, ties, 9) == std::vector<std::int64_t>{3, 2, 4});
  CHECK(detail::select_hottest({1, 2, 3}, ties, 99) == std::vector<std::int64_t>{3, 2, 8});
}
