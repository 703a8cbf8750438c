// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/measures.hpp>

#include <chrono>
#include <thread>

TEST_CASE("every lap is added to its own sum, and nothing is counted twice") {
  using namespace std::chrono_literals;
  auto const start = std::chrono::steady_clock::now();
  glt::detail::stopwatch watch;
  double slept = 0;
  double rest = 1;
  std::this_thread::sleep_for(3ms);
  watch.lap(slept);
  std::this_thread::sleep_for(2ms);
  watch.lap(slept);
  watch.lap(rest);
  std::chrono::duration<double> const all = std::chrono::steady_clock::now() - start;
  CHECK(slept >= 0.005);
  CHECK(rest >= 1);
  CHECK(slept + (rest - 1) <= all.count());
}
