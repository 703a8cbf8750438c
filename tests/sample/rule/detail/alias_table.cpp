// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/weight_tables.hpp>

#include "support/weighted.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace {

// The probability of every edge by the table of its row.
std::vector<double> table_probabilities(std::vector<float> const& weights) {
  std::vector<glt::detail::alias_slot> slots(weights.size());
  glt::detail::fill_alias_table<glt::memory_space::host>(weights, slots);
  std::vector<double> probabilities(weights.size(), 0.0);
  auto const degree = static_cast<double>(weights.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    REQUIRE(slots[i].alias < slots.size());
    auto const own = std::ldexp(static_cast<double>(slots[i].threshold), -32) / degree;
    probabilities[i] += own;
    probabilities[slots[i].alias] += 1 / degree - own;
  }
  return probabilities;
}

void check_probabilities(std::vector<float> const& weights) {
  auto const probabilities = table_probabilities(weights);
  double const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double difference = 0;
  std::int64_t drawn_zeros = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    difference += std::abs(probabilities[i] - static_cast<double>(weights[i]) / sum);
    drawn_zeros += weights[i] > 0 || probabilities[i] == 0 ? 0 : 1;
  }
  CHECK(difference <= 0x1p-31); // what one edge loses another one gains
  CHECK(drawn_zeros == 0);
}

} // namespace

TEST_CASE("a table holds the probabilities of the weights") {
  for (auto const& [name, weights] : glt_test::adversarial_weights()) {
    CAPTURE(name);
    if (!glt_test::positive_positions(weights).empty()) {
      check_probabilities(weights);
    }
  }
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    auto weights = glt_test::random_weights(1 + static_cast<std::int64_t>(seed) % 37, seed);
    weights.push_back(1);
    check_probabilities(weights);
  }
}

TEST_CASE("a table of very many edges of about the same weight holds their probabilities too") {
  std::vector<float> weights(200003, 0);
  for (std::size_t i = 0; i < weights.size(); i += 2) {
    weights[i] = 0.1F + 1e-7F * static_cast<float>(i % 5);
  }
  check_probabilities(weights);
}

TEST_CASE("rows without weight keep their slots within the row") {
  for (std::size_t const degree : {0U, 1U, 5U}) {
    std::vector<float> const weights(degree, 0.0F);
    for (auto const probability : table_probabilities(weights)) {
      CHECK(probability <= 1);
    }
  }
}
