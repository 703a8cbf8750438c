// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/detail/arithmetic.hpp>

#include <glt/core/random.hpp>

#include <cstdint>

using glt::detail::high_product;

TEST_CASE("the upper half of a product, digit by digit") {
  glt::random_stream draws(glt::random_key(1), 0);
  for (int i = 0; i < 1000; ++i) {
    auto const a = draws.next64() >> (i % 61);
    auto const b = draws.next64();
    std::uint64_t high = 0; // a · b bit by bit, from the top, as a sum of shifted a
    std::uint64_t low = 0;
    for (int bit = 63; bit >= 0; --bit) {
      high = (high << 1) | (low >> 63);
      low <<= 1;
      if (((b >> bit) & 1) != 0) {
        low += a;
        high += low < a ? 1 : 0;
      }
    }
    CHECK(high_product(a, b) == high);
    CHECK(high_product(b, a) == high);
  }
  CHECK(high_product(~std::uint64_t{0}, ~std::uint64_t{0}) == ~std::uint64_t{0} - 1);
  CHECK(high_product(0, 77) == 0);
}

TEST_CASE("zeros above the highest bit") {
  CHECK(glt::detail::leading_zeros(0) == 64);
  for (int bit = 0; bit < 64; ++bit) {
    auto const power = std::uint64_t{1} << bit;
    CHECK(glt::detail::leading_zeros(power) == 63 - bit);
    CHECK(glt::detail::leading_zeros(power | (power - 1)) == 63 - bit);
  }
}

TEST_CASE("a product is rounded before something is added") {
  double const a = 1 + 0x1p-30;
  double const b = 1 - 0x1p-30;
  CHECK(glt::detail::rounded_product(a, b) == 1); // exactly 1 − 2⁻⁶⁰
  CHECK(glt::detail::rounded_product(a, b) - 1 == 0);
}
