// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/exec/detail/ordered_pieces.hpp>

#include <glt/exec/sequential.hpp>
#include <glt/exec/threaded.hpp>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

TEST_CASE("second halves come in order, one at a time, each with the scratch memory of its first half") {
  glt::detail::thread_pool pool(4);
  glt::detail::ordered_pieces<std::vector<std::int64_t>> pieces;
  for (std::int64_t const n : {0, 1, 7, 8, 9, 10007}) {
    std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    std::vector<std::int64_t> in_order; // written without a lock
    auto const first = [](std::int64_t begin, std::int64_t end, std::vector<std::int64_t>& scratch) {
      CHECK(end - begin <= 8);
      scratch.resize(static_cast<std::size_t>(end - begin));
      std::iota(scratch.begin(), scratch.end(), begin);
    };
    auto const second = [&](std::int64_t begin, std::vector<std::int64_t> const& scratch) {
      CHECK(begin == static_cast<std::int64_t>(in_order.size()));
      in_order.insert(in_order.end(), scratch.begin(), scratch.end());
    };
    pieces.run(glt::exec::threaded(pool), n, 8, first, second);
    CHECK(in_order == expected);
    in_order.clear();
    pieces.run(glt::exec::sequential{}, n, 8, first, second);
    CHECK(in_order == expected);
  }
}

TEST_CASE("after a half that throws the next run begins anew") {
  glt::detail::thread_pool pool(2);
  glt::detail::ordered_pieces<int> pieces;
  std::int64_t done = 0;
  for (std::int64_t const bad : {0, 40}) {
    done = 0;
    auto const nothing = [](std::int64_t, std::int64_t, int&) {};
    CHECK_THROWS_AS(
        pieces.run(glt::exec::threaded(pool), 100, 4, nothing,
                   [&](std::int64_t begin, int) { begin == bad ? throw std::runtime_error("bad") : ++done; }),
        std::runtime_error);
    CHECK(done == bad / 4);
    done = 0;
    pieces.run(glt::exec::threaded(pool), 100, 4, nothing, [&](std::int64_t, int) { ++done; });
    CHECK(done == 25);
  }
}
