// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/numbering.hpp>

#include <glt/core/random.hpp>

#include <cstdint>
#include <map>

TEST_CASE_TEMPLATE("numbers are given in first-seen order, round after round", Vertex, std::int32_t, std::int64_t) {
  glt::first_seen_numbering<Vertex> numbering;
  glt::random_stream draws(glt::random_key(3), 0);
  for (std::int64_t const count : {0, 1, 5, 1000, 40001, 17}) {
    numbering.clear();
    std::map<Vertex, glt::local_id> expected;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      // Strides of powers of two collide in careless tables.
      auto const vertex = static_cast<Vertex>((draws.below(static_cast<std::uint64_t>(count)) + 1) << (i % 2 * 14));
      auto const [found, first_time] = expected.try_emplace(vertex, static_cast<glt::local_id>(expected.size()));
      auto const [number, is_new] = numbering.number(vertex);
      wrong += number != found->second || is_new != first_time ? 1 : 0;
    }
    CHECK(wrong == 0);
    CHECK(numbering.size() == static_cast<glt::local_id>(expected.size()));
  }
}
