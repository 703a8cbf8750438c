// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/exec/detail/team.hpp>
#include <glt/sample/detail/pick/pick.hpp>
#include <glt/sample/detail/pick/team_pick.hpp>

#include "support/naive_sampler.hpp"
#include "support/statistics.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace {

std::vector<std::int64_t> pick(glt::random_key key, std::int64_t vertex, std::int64_t degree,
                               glt::hop_options options) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(glt::detail::num_picked(degree, options)));
  glt::detail::pick_positions(glt::random_stream(key, static_cast<std::uint64_t>(vertex)), degree, options, out.data());
  return out;
}

} // namespace

TEST_CASE("picks are those of the definition") {
  glt::random_key const key(77);
  for (std::int64_t const degree : {0, 1, 2, 3, 7, 15, 16, 17, 100, 4099}) {
    for (std::int64_t const fanout : {-1, 1, 2, 3, 15, 16, 17, 200}) {
      for (bool const replace : {false, true}) {
        if (fanout < 0 && replace) {
          continue;
        }
        CAPTURE(degree);
        CAPTURE(fanout);
        CAPTURE(replace);
        auto const picked = pick(key, degree, degree, {.fanout = fanout, .replace = replace});
        CHECK(picked == glt_test::naive_pick(key, degree, degree, fanout, replace));
        if (!replace) {
          auto sorted = picked;
          std::ranges::sort(sorted);
          CHECK(std::ranges::adjacent_find(sorted) == sorted.end());
        }
      }
    }
  }
}

TEST_CASE("every position of a row is equally likely, on small rows and on a hub") {
  struct shape {
    std::int64_t degree;
    std::int64_t fanout;
    bool replace;
    std::int64_t rounds;
  };
  for (auto const [degree, fanout, replace, rounds] :
       {shape{7, 3, false, 20000}, shape{7, 3, true, 20000}, shape{16, 15, false, 20000},
        shape{40000, 15, false, 60000}, shape{40000, 15, true, 60000}}) {
    CAPTURE(degree);
    CAPTURE(replace);
    std::vector<std::int64_t> observed(static_cast<std::size_t>(degree), 0);
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (auto const position : pick(glt::random_key(5).fold(static_cast<std::uint64_t>(round)), 12345, degree,
                                      {.fanout = fanout, .replace = replace})) {
        ++observed[static_cast<std::size_t>(position)];
      }
    }
    // Distinct picks of one round exclude each other, which makes the statistic smaller, never larger.
    CHECK(glt_test::chi_square_deviation(observed) < 4);
    if (degree > 10 * fanout || replace) {
      CHECK(glt_test::chi_square_deviation(observed) > -4);
    }
  }
}

TEST_CASE("every set of positions is equally likely without replacement") {
  std::map<std::vector<std::int64_t>, std::int64_t> sets;
  for (std::int64_t vertex = 0; vertex < 70000; ++vertex) {
    auto picked = pick(glt::random_key(11), vertex, 8, {.fanout = 3});
    std::ranges::sort(picked);
    ++sets[picked];
  }
  CHECK(sets.size() == 56); // 8 choose 3
  std::vector<std::int64_t> observed;
  for (auto const& [set, count] : sets) {
    observed.push_back(count);
  }
  CHECK(glt_test::chi_square_deviation(observed) < 4);
  CHECK(glt_test::chi_square_deviation(observed) > -4);
}

TEST_CASE("picks at once are the picks one by one, or none") {
  std::int64_t unfinished = 0;
  auto const check = [&](bool finished, std::int32_t const* picked, std::vector<std::int32_t> const& expected) {
    unfinished += finished ? 0 : 1;
    if (finished) {
      CHECK(std::equal(expected.begin(), expected.end(), picked));
    }
  };
  for (std::int64_t const degree : {std::int64_t{17}, std::int64_t{64}, std::int64_t{65}, std::int64_t{100},
                                    std::int64_t{65537}, std::int64_t{2147483647}}) {
    for (int count = 1; count <= 16; ++count) {
      for (std::uint64_t subject = 0; subject < 40; ++subject) {
        glt::random_stream const stream(glt::random_key(6), subject);
        std::vector<std::int32_t> expected(static_cast<std::size_t>(count));
        glt::detail::pick_distinct(stream, degree, count, expected.data());
        std::int32_t picked[16] = {};
        check(glt::detail::pick_at_once(stream, degree, count, picked), picked, expected);
        check(glt::detail::pick_distinct_portably<16>(stream, degree, count, picked), picked, expected);
        if (count <= 8) {
          check(glt::detail::pick_distinct_portably<8>(stream, degree, count, picked), picked, expected);
        }
        std::vector<std::int32_t> positions(expected.size());
        glt::detail::pick_positions(stream, degree, {.fanout = count}, positions.data());
        CHECK(positions == expected);
        std::vector<std::int32_t> of_lanes(expected.size());
        glt::detail::pick_positions_by(glt::detail::serial_team<16>{}, stream, degree, {.fanout = count},
                                       of_lanes.data(), [&](std::int64_t i, std::int64_t position) {
                                         of_lanes[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(position);
                                       });
        CHECK(of_lanes == expected);
      }
    }
  }
  CHECK(unfinished > 250); // near 2³¹ every second draw may have to be rejected
  CHECK(unfinished < 1750);
}
