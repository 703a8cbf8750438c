// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

using namespace glt;

TEST_CASE("quotients by a multiplication are those of division") {
  constexpr std::uint32_t largest = std::numeric_limits<std::int32_t>::max();
  random_stream draws(random_key(1), 2);
  std::vector<std::uint32_t> divisors{1,  2,   3,     4,     5,     7,        31,          32,
                                      33, 641, 65535, 65536, 65537, 1U << 30, largest - 1, largest};
  for (int i = 0; i < 2000; ++i) {
    divisors.push_back(1 + static_cast<std::uint32_t>(draws.below(std::uint64_t{1} << (1 + i % 31)) % largest));
  }
  std::int64_t wrong = 0;
  for (auto const divisor : divisors) {
    detail::small_divisor const by(divisor);
    wrong += by.divisor() == divisor ? 0 : 1;
    auto const check = [&](std::uint64_t number) {
      if (number <= largest) {
        wrong += by.quotient(static_cast<std::uint32_t>(number)) == number / divisor ? 0 : 1;
      }
    };
    for (std::uint64_t const turn :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{largest / divisor}, draws.below(largest / divisor + 1)}) {
      check(turn * divisor); // where a quotient begins and ends
      check(turn * divisor + divisor - 1);
      check(turn * divisor + divisor);
    }
    check(largest);
    for (int i = 0; i < 20; ++i) {
      check(draws.below(std::uint64_t{largest} + 1));
    }
  }
  CHECK(wrong == 0);
}

namespace {

struct note_chunk {
  std::vector<std::pair<std::int64_t, std::int64_t>>* met;
  void operator()(std::int64_t row, std::int64_t chunk) const { met->emplace_back(row, chunk); }
};

} // namespace

TEST_CASE("every chunk of every row is met once, also in many rounds") {
  using shape = std::pair<std::int64_t, std::int64_t>;
  for (auto const& [rows, chunks] : {shape{0, 5}, shape{5, 0}, shape{1, 1}, shape{7, 3}, shape{3, 7}, shape{2, 33}}) {
    CAPTURE(rows);
    CAPTURE(chunks);
    std::vector<std::pair<std::int64_t, std::int64_t>> expected;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        expected.emplace_back(row, chunk);
      }
    }
    for (std::int64_t const most : {1, 2, 5, 7, 10, 1000}) {
      std::vector<std::pair<std::int64_t, std::int64_t>> met;
      detail::for_each_chunk(exec::sequential{}, rows, chunks, note_chunk{&met}, most);
      std::ranges::sort(met);
      CHECK(met == expected);
    }
  }
}
