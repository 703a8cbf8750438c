// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace glt::detail {

/// Wait loop for MPI operations without a blocking call. At first it asks again at once, then it yields. After some
/// milliseconds it sleeps for up to 50 µs at a time.
class mpi_patience {
public:
  using seconds = std::chrono::duration<double>;

  /// Returns the seconds since the beginning.
  [[nodiscard]] seconds waited() const noexcept { return clock::now() - start_; }
  /// Returns true if it sleeps between two attempts.
  [[nodiscard]] bool sleeps() const noexcept { return rounds_ > spins && waited() > awake; }

  /// Pauses between two attempts.
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
