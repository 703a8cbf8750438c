// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/weighted_rule.hpp>

#include "support/weighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace {

using host_weights = glt::array_view<glt::memory_space::host, float const>;

glt::random_stream stream_of(std::uint64_t subject) {
  return {glt::random_key(17), subject};
}

template <class Position = std::int64_t>
std::vector<std::int64_t> pick(std::uint64_t subject, std::vector<float> const& weights, std::int64_t count) {
  std::vector<Position> out(static_cast<std::size_t>(count), -1);
  glt::detail::pick_by_prefix_sums(stream_of(subject), host_weights(weights), count, out.data());
  return {out.begin(), out.end()};
}

// Every sorted uniform number is looked for from the start of the row.
std::vector<std::int64_t> naive_pick(std::uint64_t subject, std::vector<float> const& weights, std::int64_t count) {
  auto words = stream_of(subject);
  std::vector<double> arrivals(1, 0.0);
  for (std::int64_t i = 0; i <= count; ++i) {
    arrivals.push_back(arrivals.back() + static_cast<double>(glt::detail::minus_log2(words.next64())));
  }
  std::vector<double> ends;
  for (auto const weight : weights) {
    ends.push_back(static_cast<double>(weight) + (ends.empty() ? 0 : ends.back()));
  }
  std::vector<std::int64_t> picked;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(count); ++i) {
    auto const wanted = ends.back() * (arrivals[i] / arrivals.back());
    auto const found = std::ranges::upper_bound(ends, wanted) - ends.begin();
    picked.push_back(std::min<std::int64_t>(found, glt_test::positive_positions(weights).back()));
  }
  return picked;
}

} // namespace

TEST_CASE("the picks are those of a search for every number") {
  for (auto const& [name, weights] : glt_test::adversarial_weights()) {
    auto const positive = glt_test::positive_positions(weights);
    if (positive.empty()) {
      continue;
    }
    for (std::int64_t const count : {0, 1, 2, 3, 16, 33, 500}) {
      CAPTURE(name);
      CAPTURE(count);
      auto const picked = pick(5, weights, count);
      CHECK(picked == naive_pick(5, weights, count));
      CHECK(pick<std::int32_t>(5, weights, count) == picked);
      CHECK(std::ranges::is_sorted(picked));
      CHECK(std::ranges::all_of(picked, [&](auto p) { return weights[static_cast<std::size_t>(p)] > 0; }));
    }
  }
}

TEST_CASE("every multiset of picks is as likely as independent draws make it") {
  for (auto const& weights : {std::vector<float>{1, 2, 0, 3, 0.5F}, std::vector<float>{1, 1, 1, 1},
                              std::vector<float>{0, 1e30F, 3e38F, 1, 2e38F, 0}}) {
    auto const probabilities = glt_test::without_order(glt_test::sequence_probabilities(weights, 3, true));
    std::map<std::vector<std::int64_t>, std::int64_t> observed;
    for (std::uint64_t subject = 0; subject < 60000; ++subject) {
      ++observed[pick(subject, weights, 3)];
    }
    CHECK(glt_test::chi_square_deviation(observed, probabilities) < 4);
  }
}
