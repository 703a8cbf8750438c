// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/set_request.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

TEST_CASE_TEMPLATE("a set arrives whole, by owner, and every owner finds what is asked of it", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  glt::partition_book const book({0, 4, 4, 9, 11});
  glt::detail::set_request<Policy> request(policy); // reused: nothing of the last set may shine through
  glt::detail::received_set<Policy, std::int64_t> received(policy);
  for (std::vector<std::int64_t> const& set : {std::vector<std::int64_t>{10, 3, 0, 5, 8, 1, 9}, {2}, {}, {4, 3}}) {
    for (std::int64_t first = 0; first <= static_cast<std::int64_t>(set.size()); ++first) {
      auto const there = glt::make_buffer<Policy>(set, policy);
      request.fill(book, there.view(), first);
      CHECK(request.words().size() == there.size() + 4);
      std::size_t asked = 0;
      for (int part = 0; part < 4; ++part) {
        received.read(request.words(), book, part);
        auto const travelled = glt::to_vector(policy, received.members());
        auto expected = set;
        std::ranges::stable_sort(expected, {}, [&](std::int64_t vertex) { return book.owner(vertex); });
        CHECK(travelled == expected);
        auto const places = glt::to_vector(policy, request.places());
        for (std::size_t i = 0; i < places.size(); ++i) {
          CHECK(set[static_cast<std::size_t>(places[i])] == travelled[i]);
        }
        std::vector<std::int64_t> expected_wanted;
        for (auto const place : glt::to_vector(policy, request.wanted_places(static_cast<std::size_t>(part)))) {
          CHECK(place >= first);
          expected_wanted.push_back(set[static_cast<std::size_t>(place)]);
          CHECK(book.owner(expected_wanted.back()) == part);
        }
        std::vector<std::int64_t> wanted;
        for (auto const row : glt::to_vector(policy, received.wanted())) {
          wanted.push_back(book.begin(part) + row);
        }
        CHECK(wanted == expected_wanted);
        asked += wanted.size();
      }
      CHECK(asked == set.size() - static_cast<std::size_t>(first));
    }
  }
}

TEST_CASE_TEMPLATE("a set is asked about by its own book, which may be another one than before", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  Policy const policy;
  auto const set = glt::make_buffer<Policy>(std::vector<std::int64_t>{5, 0, 8}, policy);
  glt::detail::set_request<Policy> request(policy);
  using words = std::vector<glt::local_id>;
  for (auto const& [book, expected] : {std::pair{glt::partition_book({0, 4, 9}), words{1, 2, 0, 1, 4}},
                                       {glt::partition_book({0, 6, 9}), words{2, 1, 5, 0, 2}},
                                       {glt::partition_book({0, 4, 9}), words{1, 2, 0, 1, 4}}}) {
    request.fill(book, set.view(), 0);
    CHECK(glt::to_vector(policy, request.words()) == expected);
  }
}

TEST_CASE_TEMPLATE("a vertex that no part owns is refused", Policy, GLT_TEST_GLUE_POLICIES) {
  Policy const policy;
  glt::partition_book const book({0, 4, 9});
  auto const set = glt::make_buffer<Policy>(std::vector<std::int64_t>{3, 9}, policy);
  glt::detail::set_request<Policy> request(policy);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { request.fill(book, set.view(), 0); }),
                        "vertex 9", "[0, 9)"));
}
