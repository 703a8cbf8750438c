// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/detail/walk_draws.hpp>

#include "support/statistics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

TEST_CASE("every part of a walk's name changes its random numbers") {
  std::set<std::array<std::uint32_t, 4>> seen;
  std::size_t named = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      for (std::int64_t step = 0; step < 2; ++step) {
        auto const key = glt::detail::walk_key({.seed = seed, .epoch = epoch, .step = step});
        CHECK(key.bits() != glt::detail::hop_key({.seed = seed, .epoch = epoch, .step = step}, 0).bits());
        for (std::int64_t number = 0; number < 3; ++number) {
          for (std::int64_t start = 0; start < 3; ++start) {
            glt::detail::walk_draws const draws(key, number, start);
            for (auto const& words :
                 {draws.of_steps(0), draws.of_steps(4), draws.of_steps(0, 1), draws.of_returns(0), draws.of_returns(4),
                  draws.of_attempt(0, 0), draws.of_attempt(1, 0), draws.of_attempt(0, 1)}) {
              seen.insert(words);
              ++named;
            }
          }
        }
      }
    }
  }
  CHECK(seen.size() == named);
  glt::detail::walk_draws const draws(glt::random_key(1), 0, 0);
  CHECK(draws.of_steps(0) == draws.of_steps(3));
  CHECK(draws.of_steps(3) != draws.of_steps(4));
  CHECK(draws.of_returns(8) == draws.of_returns(11));
}

TEST_CASE("positions within a row are equally likely, and the same again for the same walk and step") {
  for (std::int64_t const degree : {1, 2, 3, 7, 100}) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(degree), 0);
    for (std::int64_t start = 0; start < 100; ++start) {
      glt::detail::walk_draws const draws(glt::random_key(3), 0, start);
      for (std::int64_t step = 0; step < 200; ++step) {
        auto const word = draws.of_steps(step)[static_cast<std::size_t>(step % 4)];
        auto const position = draws.position(step, word, degree);
        REQUIRE(position >= 0);
        REQUIRE(position < degree);
        ++counts[static_cast<std::size_t>(position)];
      }
    }
    if (degree > 1) {
      CHECK(glt_test::chi_square_deviation(counts) < 4);
    }
  }
}

TEST_CASE("words that would favour a position are drawn again") {
  // Of 2³² words and 3 · 2³⁰ positions, every fourth word is rejected.
  constexpr std::int64_t degree = 3 * (std::int64_t{1} << 30);
  std::vector<std::int64_t> thirds(3, 0);
  std::int64_t again = 0;
  for (std::int64_t start = 0; start < 1000; ++start) {
    glt::detail::walk_draws const draws(glt::random_key(4), 0, start);
    for (std::int64_t step = 0; step < 9; ++step) {
      auto const word = draws.of_steps(step)[static_cast<std::size_t>(step % 4)];
      auto const position = draws.position(step, word, degree);
      ++thirds[static_cast<std::size_t>(position >> 30)];
      again += position != static_cast<std::int64_t>((std::uint64_t{word} * degree) >> 32) ? 1 : 0;
    }
  }
  CHECK(glt_test::chi_square_deviation(thirds) < 4);
  CHECK(again > 9000 / 4 - 200);
  CHECK(again < 9000 / 4 + 200);
}

TEST_CASE("rows of more edges than 32 bits can count are drawn from as well") {
  constexpr std::int64_t degree = 5 * (std::int64_t{1} << 40);
  std::vector<std::int64_t> fifths(5, 0);
  for (std::int64_t start = 0; start < 2000; ++start) {
    auto const position = glt::detail::walk_draws(glt::random_key(5), 0, start).position(2, 0, degree);
    REQUIRE(position >= 0);
    REQUIRE(position < degree);
    ++fifths[static_cast<std::size_t>(position >> 40)];
  }
  CHECK(glt_test::chi_square_deviation(fifths) < 4);
}
