// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/members.hpp>

#include <chrono>

namespace glt::detail {

/// Counts of the rows that were read, by their owners.
struct read_counts {
  std::int64_t own = 0;      ///< of this rank
  std::int64_t in_place = 0; ///< of other ranks, read in place
  std::int64_t remote = 0;   ///< of other ranks, requested by message

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.own, self.in_place, self.remote);
  }
  read_counts& operator+=(read_counts const& other) noexcept { return combine(*this, other, std::plus<>()); }
};

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
