// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/detail/node2vec_choice.hpp>

#include "support/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::detail::accepts;
using glt::detail::node2vec_choice;
using glt::detail::verdict;

TEST_CASE("the row of the vertex before is looked at only where it matters") {
  node2vec_choice const homely({.length = 1, .p = 0.5, .q = 4}); // weights 2, 1, 1/4 of at most 2
  auto const decide = [&](double number, std::int64_t previous, std::int64_t candidate) {
    auto const bits = static_cast<std::uint64_t>(number * 0x1p64);
    return homely.decide({0, 0, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)}, previous,
                         candidate);
  };
  CHECK(decide(0.99, -1, 3) == verdict::accept);
  CHECK(decide(0.99, 3, 3) == verdict::accept);
  CHECK(decide(0.12, 4, 3) == verdict::accept);
  CHECK(decide(0.13, 4, 3) == verdict::accept_neighbor);
  CHECK(decide(0.49, 4, 3) == verdict::accept_neighbor);
  CHECK(decide(0.51, 4, 3) == verdict::reject);
  node2vec_choice const roaming({.length = 1, .p = 4, .q = 0.5});          // weights 1/4, 1, 2 of at most 2
  auto const words = glt::detail::walk_draws::words{0, 0, 0, 0xC0000000U}; // 0.75
  CHECK(roaming.decide(words, 4, 3) == verdict::accept_stranger);
  CHECK(roaming.decide(words, 3, 3) == verdict::reject);
  CHECK(accepts(verdict::accept, false));
  CHECK(!accepts(verdict::reject, true));
  CHECK(accepts(verdict::accept_neighbor, true));
  CHECK(!accepts(verdict::accept_neighbor, false));
  CHECK(accepts(verdict::accept_stranger, false));
  CHECK(!accepts(verdict::accept_stranger, true));
}

TEST_CASE("attempts pick every position equally often, in rows of any length") {
  for (std::int64_t const unit : {std::int64_t{1}, std::int64_t{1} << 30, std::int64_t{1} << 40}) {
    std::vector<std::int64_t> thirds(3, 0);
    std::int64_t again = 0;
    for (std::int64_t start = 0; start < 3000; ++start) {
      auto const words = glt::detail::walk_draws(glt::random_key(2), 0, start).of_attempt(0, 0);
      auto const position = node2vec_choice::position(words, 3 * unit);
      REQUIRE(position < 3 * unit);
      if (position < 0) {
        ++again;
      } else {
        ++thirds[static_cast<std::size_t>(position / unit)];
      }
    }
    CHECK(glt_test::chi_square_deviation(thirds) < 4);
    CHECK((unit == 1 ? again == 0 : again > 600));
    CHECK(again < 900);
  }
}

TEST_CASE("edges of an exact draw arrive at their variate over their weight") {
  node2vec_choice const choice({.length = 1, .p = 0.5, .q = 4});
  CHECK(choice.arrival(8, 4, 4, false) == 4);
  CHECK(choice.arrival(8, 4, 3, true) == 8);
  CHECK(choice.arrival(8, 4, 3, false) == 32);
  CHECK(choice.arrival(8, -1, 3, false) == 8); // in the first step every edge is equally likely
  CHECK(choice.needs_row(4, 3));
  CHECK(!choice.needs_row(4, 4));
  CHECK(!choice.needs_row(-1, 3));
  CHECK(!node2vec_choice({.length = 1, .p = 0.5}).needs_row(4, 3)); // q is 1
  CHECK(choice.earliest(8) == 8);
  CHECK(node2vec_choice({.length = 1, .q = 0.25}).earliest(8) == 2);
  CHECK(node2vec_choice::most_attempts(1) == 64);
  CHECK(node2vec_choice::most_attempts(64) == 64);
  CHECK(node2vec_choice::most_attempts(65) == 65);
  CHECK(node2vec_choice::most_attempts(0x7FFFFFFF) == 0x7FFFFFFF);
  CHECK(node2vec_choice::most_attempts(0x80000000) == 0xFFFFFFFF); // none
}
