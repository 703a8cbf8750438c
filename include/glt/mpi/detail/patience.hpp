// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace glt::detail {

/// How a rank waits for what MPI offers nothing to block on: it asks at once for a while, then yields, and after some
/// milliseconds sleeps for up to 50 µs at a time.
class mpi_patience {
public:
  using seconds = std::chrono::duration<double>;

  /// Seconds since the beginning.
  [[nodiscard]] seconds waited() const noexcept { return clock::now() - start_; }
  /// True when it sleeps between two attempts.
  [[nodiscard]] bool sleeps() const noexcept { return rounds_ > spins && waited() > awake; }

  /// What comes between two attempts.
  void pause() {
    if (rounds_ < spins) {
      ++rounds_;
    } else if (!sleeps()) {
      ++rounds_;
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap_);
      nap_ = std::min(2 * nap_, longest_nap);
    }
  }

private:
  using clock = std::chrono::steady_clock;

  static constexpr int spins = 500;
  static constexpr seconds awake{0.003};
  static constexpr std::chrono::microseconds longest_nap{50};

  clock::time_point start_ = clock::now();
  int rounds_ = 0;
  std::chrono::microseconds nap_{2};
};

} // namespace glt::detail
