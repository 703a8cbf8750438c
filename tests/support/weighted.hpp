// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/arithmetic.hpp>
#include <glt/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// Random weights of very different size, every fifth 0 on average.
inline std::vector<float> random_weights(std::int64_t count, std::uint64_t seed = 1) {
  std::vector<float> weights;
  glt::random_stream draws(glt::random_key(seed), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    bool const zero = draws.below(5) == 0;
    auto const weight = static_cast<float>(std::exp2(8 * draws.next_unit() - 4));
    weights.push_back(zero ? 0 : weight);
  }
  return weights;
}

struct named_weights {
  std::string name;
  std::vector<float> weights;
};

/// Weights of one row that break careless code.
inline std::vector<named_weights> adversarial_weights() {
  auto const tiny = std::numeric_limits<float>::denorm_min();
  auto const huge = std::numeric_limits<float>::max();
  std::vector<named_weights> rows{{"none", {}},
                                  {"one", {3}},
                                  {"one zero", {0}},
                                  {"zeros", {0, 0, 0, 0, 0}},
                                  {"two", {1, 3}},
                                  {"equal", std::vector<float>(17, 0.1F)},
                                  {"one positive at the end", {0, 0, 0, 5}},
                                  {"one positive at the start", {5, 0, 0}},
                                  {"subnormal", {tiny, 0, 2 * tiny, 5 * tiny}},
                                  {"sum beyond floats", {huge, huge, 0, huge, huge / 2}},
                                  {"smallest and largest", {tiny, huge, tiny, 1}},
                                  {"random 7", random_weights(7)},
                                  {"random 63", random_weights(63)},
                                  {"random 1001", random_weights(1001)}};
  named_weights heavy{"one heavy, many light", std::vector<float>(257, 1e-6F)};
  heavy.weights[100] = 1e6F;
  heavy.weights[7] = 0;
  rows.push_back(std::move(heavy));
  return rows;
}

/// The positions of positive weight, ascending.
inline std::vector<std::int64_t> positive_positions(std::vector<float> const& weights) {
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) {
      positions.push_back(static_cast<std::int64_t>(i));
    }
  }
  return positions;
}

/// The `count` positions of the smallest keys out of all but `taken`, by sorting all of them; in row order if
/// that is all there are.
inline std::vector<std::int64_t> naive_smallest_keys(glt::random_stream stream, std::vector<float> const& weights,
                                                     std::int64_t count, std::vector<std::int64_t> const& taken = {}) {
  std::vector<std::pair<double, std::int64_t>> keys;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto const variate = static_cast<double>(glt::detail::minus_log2(stream.next64()));
    auto const position = static_cast<std::int64_t>(i);
    if (weights[i] > 0 && std::ranges::find(taken, position) == taken.end()) {
      keys.emplace_back(variate / static_cast<double>(weights[i]), position);
    }
  }
  if (static_cast<std::int64_t>(keys.size()) > count) {
    std::ranges::sort(keys);
    keys.resize(static_cast<std::size_t>(count));
  }
  std::vector<std::int64_t> picked;
  for (auto const& [key, position] : keys) {
    picked.push_back(position);
  }
  return picked;
}

/// Probabilities of everything that `count` successive draws can give, in order of draw.
inline std::map<std::vector<std::int64_t>, double> sequence_probabilities(std::vector<float> const& weights,
                                                                          std::int64_t count, bool replace) {
  std::map<std::vector<std::int64_t>, double> sequences{{{}, 1.0}};
  for (std::int64_t draw = 0; draw < count; ++draw) {
    std::map<std::vector<std::int64_t>, double> longer;
    for (auto const& [sequence, probability] : sequences) {
      auto left = weights;
      for (auto const position : sequence) {
        left[static_cast<std::size_t>(position)] = replace ? left[static_cast<std::size_t>(position)] : 0;
      }
      double const sum = std::accumulate(left.begin(), left.end(), 0.0);
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] > 0) {
          auto next = sequence;
          next.push_back(static_cast<std::int64_t>(i));
          longer[next] = probability * static_cast<double>(left[i]) / sum;
        }
      }
    }
    sequences = std::move(longer);
  }
  return sequences;
}

/// The same for what is left of a draw when its order is forgotten.
inline std::map<std::vector<std::int64_t>, double>
without_order(std::map<std::vector<std::int64_t>, double> const& sequences) {
  std::map<std::vector<std::int64_t>, double> sorted;
  for (auto const& [sequence, probability] : sequences) {
    auto set = sequence;
    std::ranges::sort(set);
    sorted[set] += probability;
  }
  return sorted;
}

/// How many standard deviations the chi-square of observed outcomes lies above its mean, for outcomes of
/// given probabilities; infinite if one was observed that has none. See `chi_square_deviation`.
inline double chi_square_deviation(std::map<std::vector<std::int64_t>, std::int64_t> const& observed,
                                   std::map<std::vector<std::int64_t>, double> const& probabilities) {
  double total = 0;
  for (auto const& [outcome, count] : observed) {
    if (!probabilities.contains(outcome)) {
      return std::numeric_limits<double>::infinity();
    }
    total += static_cast<double>(count);
  }
  double statistic = 0;
  double classes = 0;
  auto const add = [&](double found, double expected) {
    statistic += (found - expected) * (found - expected) / expected;
    ++classes;
  };
  double rare_found = 0;
  double rare_expected = 0;
  for (auto const& [outcome, probability] : probabilities) {
    auto const at = observed.find(outcome);
    double const found = at == observed.end() ? 0 : static_cast<double>(at->second);
    double const expected = total * probability;
    if (expected < 5) { // too rare for the normal distribution
      rare_found += found;
      rare_expected += expected;
    } else {
      add(found, expected);
    }
  }
  if (rare_expected >= 5) {
    add(rare_found, rare_expected);
  } else if (rare_found > 20) {
    return std::numeric_limits<double>::infinity();
  }
  double const freedom = classes - 1;
  double const spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

} // namespace glt_test
