// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

namespace glt::detail {

/// Stopwatch that tells, lap by lap, where the time of a call goes.
class stopwatch {
public:
  /// Adds the seconds since the last lap, or since the start, to `sum`.
  void lap(double& sum) noexcept {
    auto const now = clock::now();
    sum += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

private:
  using clock = std::chrono::steady_clock;

  clock::time_point last_ = clock::now();
};

} // namespace glt::detail
