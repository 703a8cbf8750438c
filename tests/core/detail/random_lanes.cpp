// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/detail/random_lanes.hpp>

#include <glt/core/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

TEST_CASE("two blocks side by side are the blocks one by one") {
  glt::random_stream draws(glt::random_key(8), 0);
  for (int i = 0; i < 2000; ++i) {
    glt::random_stream const stream(glt::random_key(draws.next64()), draws.next64());
    auto const first = draws.next64() >> draws.below(64);
    auto const second = draws.next64() >> draws.below(64);
    auto const one = stream.block(first);
    auto const other = stream.block(second);
    auto const both = glt::detail::two_blocks(stream, first, second);
    for (std::size_t j = 0; j < 4; ++j) {
      CHECK(both[j] == one[j]);
      CHECK(both[j + 4] == other[j]);
    }
  }
}

TEST_CASE("two blocks are known when a program is compiled") {
  constexpr glt::random_stream stream(glt::random_key(8), 5);
  constexpr auto both = glt::detail::two_blocks(stream, 3, 4);
  static_assert(both[0] == stream.block(3)[0] && both[7] == stream.block(4)[3]);
  CHECK(both == glt::detail::two_blocks(stream, 3, 4));
}
