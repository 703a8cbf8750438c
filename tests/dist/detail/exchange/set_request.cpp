// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/set_request.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

TEST_CASE("a set arrives whole, by owner, and every owner finds what is asked of it") {
  glt::partition_book const book({0, 4, 4, 9, 11});
  glt::dist::set_request request; // reused: nothing of the last set may shine through
  for (std::vector<std::int64_t> const& set : {std::vector<std::int64_t>{10, 3, 0, 5, 8, 1, 9}, {2}, {}, {4, 3}}) {
    for (std::int64_t first = 0; first <= static_cast<std::int64_t>(set.size()); ++first) {
      request.fill(book, glt::host_view<std::int64_t const>(set), first);
      CHECK(request.words().size() == set.size() + 4);
      std::size_t asked = 0;
      for (int part = 0; part < 4; ++part) {
        std::vector<std::int64_t> travelled;
        std::vector<std::int64_t> wanted;
        glt::dist::read_set_request(request.words(), book, part, [&](glt::global_id vertex, bool is_wanted) {
          CHECK(set[static_cast<std::size_t>(request.place(static_cast<glt::local_id>(travelled.size())))] == vertex);
          travelled.push_back(vertex);
          if (is_wanted) {
            wanted.push_back(vertex);
          }
        });
        auto expected = set;
        std::ranges::stable_sort(expected, {}, [&](std::int64_t vertex) { return book.owner(vertex); });
        CHECK(travelled == expected);
        std::vector<std::int64_t> expected_wanted;
        for (auto const place : request.wanted_places(static_cast<std::size_t>(part))) {
          expected_wanted.push_back(set[static_cast<std::size_t>(first + place)]);
          CHECK(book.owner(expected_wanted.back()) == part);
        }
        CHECK(wanted == expected_wanted);
        asked += wanted.size();
      }
      CHECK(asked == set.size() - static_cast<std::size_t>(first));
    }
  }
}

TEST_CASE("a vertex that no part owns is refused") {
  glt::partition_book const book({0, 4, 9});
  std::vector<std::int64_t> const set{3, 9};
  glt::dist::set_request request;
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { request.fill(book, glt::host_view<std::int64_t const>(set), 0); }),
                        "vertex 9", "[0, 9)"));
}
