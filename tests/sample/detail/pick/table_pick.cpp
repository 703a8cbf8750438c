// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/weighted_rule.hpp>

#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;
using host_weights = glt::array_view<glt::memory_space::host, float const>;
using host_slots = glt::array_view<glt::memory_space::host, glt::detail::alias_slot const>;
using positions = std::vector<std::int64_t>;

glt::random_stream stream_of(std::uint64_t subject) {
  return {glt::random_key(27), subject};
}
glt::random_stream rest_of(std::uint64_t subject) {
  return {glt::random_key(28), subject};
}

// A graph of one row with its table.
struct one_row {
  std::vector<float> weights;
  glt::weight_tables<cpu> tables;

  explicit one_row(std::vector<float> given) : weights(std::move(given)) {
    auto const degree = static_cast<std::int64_t>(weights.size());
    std::vector<glt::edge_offset> const offsets{0, degree};
    std::vector<glt::local_id> const sources(weights.size(), 0);
    tables = glt::weight_tables<cpu>(glt::csr_view<glt::memory_space::host>(1, offsets, sources), weights);
  }
  [[nodiscard]] host_slots slots() const { return tables.view().slots; }
};

template <class Position = std::int64_t>
positions pick(one_row const& row, std::uint64_t subject, std::int64_t count) {
  std::vector<Position> out(static_cast<std::size_t>(count), -1);
  glt::detail::draw_places(stream_of(subject), row.slots(), count, out.data());
  glt::detail::pick_by_table(stream_of(subject), row.slots(), count, out.data());
  return {out.begin(), out.end()};
}

template <class Position = std::int64_t>
positions pick_distinct(one_row const& row, std::uint64_t subject, std::int64_t count) {
  std::vector<Position> out(static_cast<std::size_t>(count), -1);
  glt::detail::draw_places(stream_of(subject), row.slots(), count, out.data());
  glt::detail::pick_distinct_by_table(stream_of(subject), rest_of(subject), row.slots(), host_weights(row.weights),
                                      count, out.data());
  return {out.begin(), out.end()};
}

// The place that a fraction of 64 bits stands for.
std::int64_t naive_place(std::uint64_t high, std::uint64_t low, std::uint64_t degree) {
  return static_cast<std::int64_t>((high * degree + (low * degree >> 32)) >> 32);
}

// One draw after the other; words 4 · 2³² on are the coins, and 8 · 2³² on the lower halves of the fractions.
positions naive_draws(one_row const& row, std::uint64_t subject, std::int64_t count) {
  auto const stream = stream_of(subject);
  auto const word = [&](std::uint64_t family, std::int64_t i) {
    return stream.block((family << 32) + static_cast<std::uint64_t>(i / 4))[static_cast<std::size_t>(i % 4)];
  };
  positions drawn;
  for (std::int64_t i = 0; i < count; ++i) {
    auto const place = naive_place(word(0, i), word(2, i), row.weights.size());
    auto const slot = row.slots()[place];
    drawn.push_back(word(1, i) < slot.threshold ? place : slot.alias);
  }
  return drawn;
}

positions naive_distinct(one_row const& row, std::uint64_t subject, std::int64_t count) {
  positions picked;
  for (auto const edge : naive_draws(row, subject, count + static_cast<std::int64_t>(row.weights.size()))) {
    if (static_cast<std::int64_t>(picked.size()) < count && std::ranges::find(picked, edge) == picked.end()) {
      picked.push_back(edge);
    }
  }
  auto const missing = count - static_cast<std::int64_t>(picked.size());
  auto const rest = glt_test::naive_smallest_keys(rest_of(subject), row.weights, missing, picked);
  picked.insert(picked.end(), rest.begin(), rest.end());
  return picked;
}

} // namespace

TEST_CASE("the picks are those of one draw after the other") {
  for (auto const& [name, weights] : glt_test::adversarial_weights()) {
    auto const positive = static_cast<std::int64_t>(glt_test::positive_positions(weights).size());
    if (positive == 0) {
      continue;
    }
    one_row const row(weights);
    for (std::int64_t const count : {0, 1, 2, 3, 15, 16, 17, 33, 100, 700}) {
      CAPTURE(name);
      CAPTURE(count);
      CHECK(pick(row, 6, count) == naive_draws(row, 6, count));
      CHECK(pick<std::int32_t>(row, 6, count) == naive_draws(row, 6, count));
      if (count < positive) {
        CHECK(pick_distinct(row, 6, count) == naive_distinct(row, 6, count));
        CHECK(pick_distinct<std::int32_t>(row, 6, count) == naive_distinct(row, 6, count));
      }
    }
  }
}

TEST_CASE("a place is that of a fraction of 64 bits, also where the lower half of it decides") {
  std::vector<glt::detail::alias_slot> const slots(7);
  for (std::int64_t const degree : {1, 2, 3, 5, 7}) {
    glt::detail::table_draws<glt::memory_space::host> const draws{stream_of(1), host_slots(slots).subview(0, degree)};
    for (std::int64_t draw = 0; draw < 9; ++draw) {
      auto const low = stream_of(1).block((std::uint64_t{2} << 32) + static_cast<std::uint64_t>(draw / 4));
      for (std::int64_t edge = 0; edge <= degree; ++edge) {
        auto const border = static_cast<std::uint32_t>((edge << 32) / degree);
        for (std::uint32_t const word : {border - 2, border - 1, border, border + 1}) {
          CHECK(draws.place(draw, word) ==
                naive_place(word, low[static_cast<std::size_t>(draw % 4)], static_cast<std::uint64_t>(degree)));
        }
      }
    }
  }
}

TEST_CASE("every sequence of picks with replacement is as likely as independent draws make it") {
  for (auto const& weights : {std::vector<float>{1, 2, 0, 3, 0.5F}, std::vector<float>{1, 1, 1, 1},
                              std::vector<float>{0, 1e30F, 3e38F, 2e38F, 0}}) {
    one_row const row(weights);
    std::map<positions, std::int64_t> observed;
    for (std::uint64_t subject = 0; subject < 60000; ++subject) {
      ++observed[pick(row, subject, 3)];
    }
    CHECK(glt_test::chi_square_deviation(observed, glt_test::sequence_probabilities(weights, 3, true)) < 4);
  }
}

TEST_CASE("every sequence of distinct picks is as likely as successive draws make it") {
  for (auto const& weights : {std::vector<float>{1, 2, 0, 3, 0.5F, 4}, std::vector<float>{1, 1, 1, 1},
                              std::vector<float>{1, 40, 2, 60, 1e-2F}}) {
    one_row const row(weights);
    std::map<positions, std::int64_t> observed;
    for (std::uint64_t subject = 0; subject < 60000; ++subject) {
      ++observed[pick_distinct(row, subject, 3)];
    }
    CHECK(glt_test::chi_square_deviation(observed, glt_test::sequence_probabilities(weights, 3, false)) < 4);
  }
}

TEST_CASE("one huge weight leaves the others as likely as without it") {
  // The table draws nothing but the huge one: the others come from the keys.
  std::vector<float> weights{2e-20F, 3e-20F, 1e30F, 0, 1e-20F, 4e-20F};
  one_row const row(weights);
  std::map<positions, std::int64_t> observed;
  for (std::uint64_t subject = 0; subject < 60000; ++subject) {
    auto picked = pick_distinct(row, subject, 3);
    REQUIRE(picked.front() == 2);
    picked.erase(picked.begin());
    ++observed[picked];
  }
  weights[2] = 0;
  CHECK(glt_test::chi_square_deviation(observed, glt_test::sequence_probabilities(weights, 2, false)) < 4);
}
