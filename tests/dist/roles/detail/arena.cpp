// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/batch_delivery.hpp>

#include <glt/core/random.hpp>

#include <cstddef>
#include <cstdint>
#include <map>

TEST_CASE("places do not overlap, and all of the memory comes back, whatever the order") {
  constexpr std::int64_t bytes = 64 * 40;
  glt::detail::arena arena(bytes + 63);
  CHECK(arena.size() == bytes);
  std::map<std::int64_t, std::int64_t> taken;
  glt::random_stream draws(glt::random_key(5), 0);
  std::int64_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    if (draws.below(2) == 0 && !taken.empty()) {
      auto const one = std::next(taken.begin(), static_cast<std::ptrdiff_t>(draws.below(taken.size())));
      arena.give_back(one->first, one->second);
      taken.erase(one);
      continue;
    }
    auto const size = static_cast<std::int64_t>(draws.below(600)) + 1;
    auto const place = arena.take(size);
    if (!place) {
      ++refused;
      continue;
    }
    REQUIRE(*place % 64 == 0);
    REQUIRE(*place + size <= bytes);
    auto const next = taken.lower_bound(*place);
    REQUIRE((next == taken.end() || *place + size <= next->first));
    REQUIRE((next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= *place));
    taken.emplace(*place, size);
  }
  CHECK(refused > 100);
  for (auto const& [place, size] : taken) {
    arena.give_back(place, size);
  }
  CHECK(arena.take(bytes) == 0);
  CHECK(!arena.take(1));
}

TEST_CASE("an arena without memory has no place") {
  glt::detail::arena arena;
  CHECK(!arena.take(1));
  CHECK(glt::detail::arena(63).size() == 0);
}
