// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/pick/smallest_keys.hpp>

#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace {

using host_weights = glt::array_view<glt::memory_space::host, float const>;

glt::random_stream stream_of(std::uint64_t subject) {
  return {glt::random_key(7), subject};
}

template <class Position = std::int64_t>
std::vector<std::int64_t> pick(glt::random_stream stream, std::vector<float> const& weights, std::int64_t count,
                               std::vector<std::int64_t> const& taken = {}) {
  std::vector<Position> out(taken.begin(), taken.end());
  out.resize(taken.size() + static_cast<std::size_t>(count), -1);
  glt::detail::pick_smallest_keys(stream, host_weights(weights), static_cast<std::int64_t>(taken.size()),
                                  static_cast<std::int64_t>(out.size()), out.data());
  CHECK(std::equal(taken.begin(), taken.end(), out.begin()));
  return {out.begin() + static_cast<std::ptrdiff_t>(taken.size()), out.end()};
}

} // namespace

TEST_CASE("the picks are those of the smallest keys of all") {
  for (auto const& [name, weights] : glt_test::adversarial_weights()) {
    auto const positive = static_cast<std::int64_t>(glt_test::positive_positions(weights).size());
    for (std::int64_t const count : {0, 1, 2, 3, 5, 16, 31, 32, 33, 34, 100, 800, 5000}) {
      CAPTURE(name);
      CAPTURE(count);
      auto const wanted = std::min(count, positive);
      auto const expected = glt_test::naive_smallest_keys(stream_of(9), weights, wanted);
      CHECK(pick(stream_of(9), weights, wanted) == expected);
      CHECK(pick<std::int32_t>(stream_of(9), weights, wanted) == expected);
    }
  }
}

TEST_CASE("fewer picks are the first of more picks") {
  auto const weights = glt_test::random_weights(1001, 5);
  auto const more = pick(stream_of(2), weights, 70);
  for (std::int64_t const count : {1, 15, 32, 33, 69}) {
    CHECK(pick(stream_of(2), weights, count) == std::vector<std::int64_t>(more.begin(), more.begin() + count));
  }
}

TEST_CASE("edges that were picked before are passed over") {
  auto const weights = glt_test::random_weights(401, 3);
  auto const positive = glt_test::positive_positions(weights);
  std::vector<std::int64_t> taken;
  for (std::size_t i = 0; i < positive.size(); i += 3) {
    taken.insert(taken.begin(), positive[i]);
  }
  auto const left = static_cast<std::int64_t>(positive.size() - taken.size());
  for (std::int64_t const count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{20}, std::int64_t{50}, left}) {
    CAPTURE(count);
    auto const expected = glt_test::naive_smallest_keys(stream_of(4), weights, count, taken);
    CHECK(pick(stream_of(4), weights, count, taken) == expected);
  }
}

TEST_CASE("every sequence of picks is as likely as successive draws make it") {
  for (auto const& weights : {std::vector<float>{1, 2, 0, 3, 0.5F, 4}, std::vector<float>{1, 1, 1, 1, 1, 1},
                              std::vector<float>{1e-3F, 50, 1, 1e-3F, 1}}) {
    auto const probabilities = glt_test::sequence_probabilities(weights, 3, false);
    std::map<std::vector<std::int64_t>, std::int64_t> observed;
    for (std::uint64_t subject = 0; subject < 60000; ++subject) {
      ++observed[pick(stream_of(subject), weights, 3)];
    }
    CHECK(glt_test::chi_square_deviation(observed, probabilities) < 4);
  }
}

TEST_CASE("the remainder after some picks is as likely as successive draws make it") {
  std::vector<float> weights{1, 2, 0, 3, 0.5F, 4};
  std::map<std::vector<std::int64_t>, std::int64_t> observed;
  for (std::uint64_t subject = 0; subject < 60000; ++subject) {
    ++observed[pick(stream_of(subject), weights, 2, {5})];
  }
  weights[5] = 0;
  CHECK(glt_test::chi_square_deviation(observed, glt_test::sequence_probabilities(weights, 2, false)) < 4);
}
