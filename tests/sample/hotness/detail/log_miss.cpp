// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/hotness/detail/hotness_walk.hpp>

#include <glt/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

using glt::detail::certain;
using glt::detail::log_miss;

namespace {

// Probabilities of every size, next to 0, next to 1, and at the ends of what is treated apart.
std::vector<double> some_probabilities() {
  std::vector<double> made{0.5, 0.25, 0x1p-64, 0x1p-53, 1 - 0x1p-53, 1 - 0x1p-10};
  for (int i = 0; i < 16; ++i) {
    made.push_back(1 - (17 + i) / 32.0);
    made.push_back(std::nextafter(1 - (17 + i) / 32.0, 0));
    made.push_back(std::nextafter(1 - (17 + i) / 32.0, 1));
  }
  glt::random_stream draws(glt::random_key(3), 0);
  for (int i = 0; i < 20000; ++i) {
    auto const p = draws.next_unit() * std::pow(2.0, -static_cast<double>(draws.below(50)));
    made.push_back(p);
    made.push_back(1 - p);
  }
  std::erase_if(made, [](double p) { return p < 0 || p >= 1; });
  return made;
}

} // namespace

TEST_CASE("logarithms are those of the mathematics library up to five eighths of a unit") {
  double worst = 0;
  for (double const p : some_probabilities()) {
    auto const expected = -std::log1p(-static_cast<long double>(p)) * 0x1p50L;
    auto const error = std::abs(static_cast<long double>(glt::detail::log_miss_of(p)) - expected);
    worst = std::max(worst, static_cast<double>(error));
  }
  CHECK(worst < 0.625);
  CHECK(glt::detail::log_miss_of(0) == 0);
  CHECK(glt::detail::log_miss_of(1) == certain);
}

TEST_CASE("exponentials are those of the mathematics library up to rounding") {
  glt::random_stream draws(glt::random_key(4), 0);
  double worst = 0;
  double below = 0; // beyond one unit of what is lost by 2^-64
  for (int i = 0; i < 40000; ++i) {
    auto const sum = draws.below(certain) >> draws.below(56);
    auto const expected = -std::expm1(-static_cast<long double>(sum) * 0x1p-50L);
    auto const error = std::abs(glt::detail::probability_of(sum) - static_cast<double>(expected));
    worst = std::max(worst, error);
    below = std::max(below, (error - 0x1p-60) / static_cast<double>(expected + 0x1p-60L));
  }
  CHECK(worst <= 0x1p-53);
  CHECK(below < 0x1p-52);
  CHECK(glt::detail::probability_of(0) == 0);
  CHECK(glt::detail::probability_of(certain) == 1);
  CHECK(glt::detail::probability_of(certain - 1) == 1); // so the cap is no step
  for (int k = 1; k < 63; ++k) {                        // next to the places where a halving more begins
    for (double const next : {-3.0, 0.0, 3.0}) {
      auto const sum = static_cast<log_miss>(k * std::log(2.0) * 0x1p50 + next);
      CHECK(glt::detail::probability_of(sum) ==
            doctest::Approx(-std::expm1(-static_cast<double>(sum) * 0x1p-50)).epsilon(1e-15));
    }
  }
}

TEST_CASE("sums of logarithms give the probability of any of independent events") {
  for (double const p : {0.0, 1e-9, 0.001, 0.25, 0.5, 0.999999}) {
    CHECK(glt::detail::probability_of(glt::detail::log_miss_of(p)) == doctest::Approx(p).epsilon(1e-6));
    auto const twice = 2 * glt::detail::log_miss_of(p);
    CHECK(glt::detail::probability_of(twice) == doctest::Approx(1 - (1 - p) * (1 - p)).epsilon(1e-6));
    CHECK(glt::detail::probability_of_any(p, 2) == doctest::Approx(1 - (1 - p) * (1 - p)).epsilon(1e-13));
    CHECK(glt::detail::probability_of_any(p, 0) == 0);
    CHECK(glt::detail::probability_of_any(p, 1U << 31) ==
          doctest::Approx(-std::expm1(0x1p31 * std::log1p(-p))).epsilon(1e-9));
  }
  CHECK(glt::detail::probability_of_any(1, 0) == 0);
  CHECK(glt::detail::probability_of_any(1, 3) == 1);
}

TEST_CASE("capped sums do not depend on the order, nor on who adds, and never overflow") {
  for (log_miss const value : {certain, certain - 1, log_miss{1} << 54, (log_miss{1} << 44) - 1}) {
    log_miss sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          glt::detail::add_capped(sum, value);
        }
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
    CHECK(sum >= std::min(certain, 3000 * value));
    CHECK(sum < 2 * certain);
    CHECK(glt::detail::probability_of(sum) == 1);
  }
  log_miss below = 0;
  glt::detail::add_capped(below, 5);
  glt::detail::add_capped(below, 7);
  glt::detail::add_capped(below, log_miss{1} << 50);
  CHECK(below == 12 + (log_miss{1} << 50));
}
