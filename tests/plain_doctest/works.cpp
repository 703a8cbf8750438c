// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stand-in for doctest in support/plain_doctest: what it lets pass, and what not.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

void raise(bool if_so) {
  if (if_so) {
    throw std::out_of_range("too far");
  }
}

} // namespace

TEST_CASE("works: checks") {
  std::vector<int> const unprintable;
  CAPTURE(unprintable);
  INFO("a ", 1);
  CHECK(std::vector<int>{1, 2}.size() == 2);
  CHECK_FALSE(1 == 2);
  REQUIRE(true);
  CHECK_MESSAGE(true, "of ", 3);
  CHECK(0.5 == doctest::Approx(0.5000001));
  CHECK_FALSE(0.5 == doctest::Approx(0.6));
  CHECK_THROWS_AS(raise(true), std::out_of_range);
  CHECK_THROWS_AS(raise(true), std::exception);
  CHECK_THROWS_WITH_AS(raise(true), "too far", std::logic_error);
  CHECK_NOTHROW(raise(false));
}

TEST_CASE("works: every subcase runs once, alone") {
  static std::vector<std::string> ran;
  std::string here;
  SUBCASE("first") {
    here += "first";
  }
  SUBCASE("second") {
    here += "second";
  }
  SUBCASE("third") {
    here += "third";
  }
  ran.push_back(here);
  if (ran.size() == 3) {
    CHECK(ran == std::vector<std::string>{"first", "second", "third"});
  }
  CHECK(ran.size() <= 3);
}

TEST_CASE_TEMPLATE("works: types", T, char, short) {
  CHECK(sizeof(T) <= 2);
}

TEST_CASE("works: what is skipped does not run" * doctest::skip(true)) {
  FAIL("it ran");
}

TEST_CASE("fails: check") {
  CHECK(1 == 2);
}
TEST_CASE("fails: require") {
  REQUIRE(1 == 2);
}
TEST_CASE("fails: exception") {
  raise(true);
}
TEST_CASE("fails: nothing thrown") {
  CHECK_THROWS_AS(raise(false), std::out_of_range);
}
TEST_CASE("fails: another type") {
  CHECK_THROWS_AS(raise(true), std::range_error);
}
TEST_CASE("fails: another text") {
  CHECK_THROWS_WITH_AS(raise(true), "too near", std::out_of_range);
}
TEST_CASE("fails: thrown") {
  CHECK_NOTHROW(raise(true));
}
TEST_CASE_TEMPLATE("fails: type", T, int) {
  CHECK(sizeof(T) < sizeof(int));
}
