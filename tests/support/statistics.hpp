// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace glt_test {

/// How many standard deviations the chi-square of observed counts lies above its mean, all outcomes being
/// equally likely.
///
/// With k outcomes the statistic has mean k − 1 and variance 2(k − 1); Wilson & Hilferty (1931) make it
/// normal. Uniform draws stay below 4 but once in 30,000 keys; the keys of the tests are fixed.
inline double chi_square_deviation(std::vector<std::int64_t> const& observed) {
  double total = 0;
  for (auto const count : observed) {
    total += static_cast<double>(count);
  }
  auto const outcomes = static_cast<double>(observed.size());
  double const expected = total / outcomes;
  double statistic = 0;
  for (auto const count : observed) {
    double const difference = static_cast<double>(count) - expected;
    statistic += difference * difference / expected;
  }
  double const freedom = outcomes - 1;
  double const spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

} // namespace glt_test
