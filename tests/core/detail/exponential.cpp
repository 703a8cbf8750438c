// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/detail/arithmetic.hpp>

#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

// In units of 2⁻⁵⁶, from the definition; log1p where u is next to 1.
long double exact(std::uint64_t word) {
  std::uint64_t const unit = word | 1;
  long double const u = std::ldexp(static_cast<long double>(unit), -64);
  long double const t = std::ldexp(static_cast<long double>(0 - unit), -64);
  long double const log = u < 0.5L ? std::log(u) : std::log1p(-t);
  return std::ldexp(-log / std::log(2.0L), 56);
}

bool close(std::uint64_t word) {
  auto const value = glt::detail::minus_log2(word);
  auto const bound = glt::detail::minus_log2_at_least(word);
  return std::abs(static_cast<long double>(value) - exact(word)) <= 5e-9L * exact(word) + 1 && bound <= value &&
         static_cast<double>(bound) >= 0.72 * static_cast<double>(value) - 1;
}

} // namespace

TEST_CASE("the logarithm is that of the mathematics library, to eight digits, and its bound below it") {
  for (int bit = 0; bit < 64; ++bit) {
    auto const power = std::uint64_t{1} << bit;
    for (std::uint64_t const word : {power, power - 1, power + 1, 0 - power, power + power / 2, power + power / 3}) {
      CAPTURE(word);
      CHECK(close(word));
    }
  }
  glt::random_stream words(glt::random_key(3), 0);
  std::int64_t wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    auto const word = words.next64();
    wrong += close(word) ? 0 : 1;
    wrong += close(word >> (i % 64)) ? 0 : 1;
    wrong += close(~(word >> (i % 64))) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the largest and the smallest word have a logarithm too") {
  CHECK(glt::detail::minus_log2(0) == glt::detail::minus_log2(1));
  CHECK(glt::detail::minus_log2(0) <= std::int64_t{1} << 62);
  CHECK(glt::detail::minus_log2(~std::uint64_t{0}) == 0);
}

TEST_CASE("the same bits on every machine") {
  static_assert(glt::detail::minus_log2(0) == 4611686018125398016);
  static_assert(glt::detail::minus_log2(0x0123456789ABCDEF) == 563042272913277438);
  static_assert(glt::detail::minus_log2(0x8000000000000000) == 72057593702383615);
  static_assert(glt::detail::minus_log2(0xFEDCBA9876543210) == 463061494575486);
}

TEST_CASE("pairs are the 64-bit words of a stream, in its order") {
  glt::random_stream words(glt::random_key(1), 2);
  for (std::uint64_t index = 0; index < 5; ++index) {
    auto const pair = glt::detail::word_pair(glt::random_stream(glt::random_key(1), 2), index);
    CHECK(pair[0] == words.next64());
    CHECK(pair[1] == words.next64());
  }
}

TEST_CASE("variates are exponential and those of a pair independent") {
  // Classes of equal probability: the digits of 2^−x; pairs of digits are equally likely too.
  std::vector<std::int64_t> classes(256, 0);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    auto const pair = glt::detail::word_pair(glt::random_stream(glt::random_key(5), i % 7), i);
    std::size_t place = 0;
    for (auto const word : pair) {
      auto const unit = std::exp2(-std::ldexp(static_cast<double>(glt::detail::minus_log2(word)), -56));
      place = 16 * place + std::min<std::size_t>(15, static_cast<std::size_t>(16 * unit));
    }
    ++classes[place];
  }
  CHECK(glt_test::chi_square_deviation(classes) < 4);
  CHECK(glt_test::chi_square_deviation(classes) > -4);
}
