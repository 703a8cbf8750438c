// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace glt_test {

/// How many derivatives of the inner product of `output()` and `gradient`, by inputs that it reads, are not its finite
/// differences.
template <class Output>
std::int64_t count_wrong_derivatives(std::vector<double>& inputs, std::vector<double> const& derivatives,
                                     std::vector<double> const& gradient, Output output) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    constexpr double step = 1e-5;
    auto const kept = inputs[i];
    auto const product_at = [&](double value) {
      inputs[i] = value;
      auto const values = output();
      return std::inner_product(gradient.begin(), gradient.end(), values.begin(), 0.0);
    };
    auto const difference = (product_at(kept + step) - product_at(kept - step)) / (2 * step);
    inputs[i] = kept;
    wrong += std::abs(difference - derivatives[i]) <= 1e-6 * std::max(1.0, std::abs(derivatives[i])) ? 0 : 1;
  }
  return wrong;
}

} // namespace glt_test
