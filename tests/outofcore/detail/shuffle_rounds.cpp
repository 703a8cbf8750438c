// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/edge_shuffle.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

TEST_CASE("every item goes through one rank, whatever the size of a round") {
  glt_test::on_ranks([](auto comm) {
    for (std::int64_t const n : {0, 1, 2, 17, 100}) {
      for (std::int64_t const items_a_round : {1, 3, 1000}) {
        glt::detail::record_shuffle shuffle(comm, 8);
        std::vector<std::int64_t> taken;
        std::int64_t reported = 0;
        glt::io::detail::shuffle_in_rounds(
            comm, shuffle, n, items_a_round, {.what = "moving", .unit = "items"},
            [&](glt::io::task_progress const& now) {
              CHECK(now.done >= reported);
              CHECK(now.done <= now.total);
              reported = now.done;
            },
            [&](std::int64_t first, std::int64_t last) {
              CHECK(last - first <= items_a_round);
              for (auto i = first; i < last; ++i) {
                shuffle.add(static_cast<int>(i % comm.size()), &i);
              }
            },
            [&](std::byte const* record) { std::memcpy(&taken.emplace_back(), record, 8); });
        std::vector<std::int64_t> expected;
        for (std::int64_t i = comm.rank(); i < n; i += comm.size()) {
          expected.push_back(i);
        }
        std::ranges::sort(taken);
        CHECK(taken == expected);
      }
    }
  });
}

TEST_CASE("what one rank throws, at work or at taking, ends the rounds of all") {
  glt_test::on_ranks([](auto comm) {
    for (bool const at_work : {true, false}) {
      glt::detail::record_shuffle shuffle(comm, 8);
      auto const text = glt_test::thrown<glt::collective_error>([&] {
        glt::io::detail::shuffle_in_rounds(
            comm, shuffle, 40, 4, {}, {},
            [&](std::int64_t first, std::int64_t last) {
              for (auto i = first; i < last; ++i) {
                shuffle.add(0, &i);
              }
              if (at_work && last == 40) {
                throw std::runtime_error("item 39 is odd");
              }
            },
            [&](std::byte const*) {
              if (!at_work) {
                throw std::runtime_error("no room for items");
              }
            });
      });
      CHECK(glt_test::names(text, at_work ? "item 39 is odd" : "no room for items"));
    }
  });
}
