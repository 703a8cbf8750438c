// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/numbering.hpp>

#include <glt/core/random.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

TEST_CASE_TEMPLATE("numbers are given in first-seen order, round after round", Vertex, std::int32_t, std::int64_t) {
  glt::detail::first_seen_numbering<Vertex> numbering;
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

TEST_CASE_TEMPLATE("a list is numbered as its vertices one by one are", Vertex, std::int32_t, std::int64_t) {
  glt::detail::first_seen_numbering<Vertex> one_by_one;
  glt::detail::first_seen_numbering<Vertex> at_once;
  glt::detail::first_seen_numbering<Vertex> below_a_bound;
  for (std::int64_t const count : {0, 1, 23, 1024, 1025, 70001, 5}) {
    one_by_one.clear();
    at_once.clear();
    below_a_bound.clear(1 + count / 2);
    glt::random_stream draws(glt::random_key(4), static_cast<std::uint64_t>(count));
    std::vector<Vertex> vertices;
    for (std::int64_t i = 0; i < count; ++i) {
      vertices.push_back(static_cast<Vertex>(draws.below(1 + static_cast<std::uint64_t>(count) / 2)));
    }
    std::vector<std::pair<glt::local_id, bool>> expected;
    for (auto const vertex : vertices) {
      auto const known = one_by_one.position_of(vertex);
      expected.push_back(one_by_one.number(vertex));
      CHECK(known == (expected.back().second ? -1 : std::int64_t{expected.back().first}));
    }
    for (auto* const numbering : {&at_once, &below_a_bound}) {
      std::vector<std::pair<glt::local_id, bool>> numbers;
      numbering->number_all(
          count, [&](std::int64_t i) { return vertices[static_cast<std::size_t>(i)]; },
          [&](std::int64_t i, glt::local_id number, glt::local_id first) {
            CHECK(i == static_cast<std::int64_t>(numbers.size()));
            numbers.emplace_back(number, number == first);
          });
      CHECK(numbers == expected);
      CHECK(numbering->position_of(static_cast<Vertex>(count + 1)) == -1);
      if (count > 0) {
        CHECK(numbering->position_of(vertices.back()) == expected.back().first);
      }
    }
  }
}

TEST_CASE("stamps that come near their end begin again") {
  glt::detail::first_seen_numbering<std::int32_t, 1000> numbering;
  for (std::int32_t round = 0; round < 100; ++round) {
    numbering.clear(round % 3 == 0 ? 0 : 200 + round); // without and with a bound by turns
    for (std::int32_t vertex = 0; vertex < 90; ++vertex) {
      CHECK(numbering.position_of(vertex + round) == -1);
      CHECK(numbering.number(vertex + round) == std::pair(glt::local_id{vertex}, true));
    }
  }
}

TEST_CASE("vertices of different trees are different keys") {
  glt::detail::first_seen_numbering<glt::detail::tree_vertex<std::int64_t>> numbering;
  for (glt::local_id tree = 0; tree < 300; ++tree) {
    for (std::int64_t vertex = 0; vertex < 50; ++vertex) {
      CHECK(numbering.number({tree, vertex << 32}) == std::pair(static_cast<glt::local_id>(tree * 50 + vertex), true));
    }
  }
  CHECK(numbering.number({7, std::int64_t{3} << 32}) == std::pair(glt::local_id{353}, false));
  CHECK(numbering.position_of({300, 0}) == -1);
}
