// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/report/detail/number_text.hpp>

#include <limits>

using namespace glt::io::detail;

TEST_CASE("numbers have the digits that were asked for") {
  CHECK(fixed(0, 0) == "0");
  CHECK(fixed(1.0 / 3, 3) == "0.333");
  CHECK(fixed(-2.5, 1) == "-2.5");
  CHECK(fixed(std::numeric_limits<double>::max(), 20).size() == 309 + 21);
  CHECK(trimmed(1.5, 3) == "1.5");
  CHECK(trimmed(100, 2) == "100");
  CHECK(trimmed(100, 0) == "100");
  CHECK(trimmed(-0.001, 2) == "0");
}

TEST_CASE("short numbers have three figures, or four without a unit") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(0.25) == "0.25");
  CHECK(short_number(7) == "7");
  CHECK(short_number(9999) == "9999");
  CHECK(short_number(10'000) == "10k");
  CHECK(short_number(12'345) == "12.3k");
  CHECK(short_number(999'499) == "999k");
  CHECK(short_number(999'500) == "1M");
  CHECK(short_number(4'567'890) == "4.57M");
  CHECK(short_number(128e6) == "128M");
  CHECK(short_number(2.5e9) == "2.5G");
  CHECK(short_number(9.2e18) == "9.2E");
}

TEST_CASE("steps are round and not too small") {
  CHECK(round_step(0) == 1);
  CHECK(round_step(1) == 1);
  CHECK(round_step(1.1) == 2);
  CHECK(round_step(5) == 5);
  CHECK(round_step(51) == 100);
  CHECK(round_step(1.5e18) == 2e18);
}

TEST_CASE("places are characters, not bytes") {
  CHECK(places("") == 0);
  CHECK(places("abc") == 3);
  CHECK(places("Straße") == 6);
}
