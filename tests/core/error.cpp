// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/error.hpp>

#include <exception>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>

static_assert(std::is_base_of_v<std::runtime_error, glt::error>);
static_assert(std::is_base_of_v<glt::error, glt::precondition_error>);
static_assert(std::is_base_of_v<glt::error, glt::io_error>);
static_assert(std::is_base_of_v<glt::error, glt::collective_error>);
static_assert(std::is_nothrow_copy_constructible_v<glt::precondition_error>);

TEST_CASE("an error tells its message and where it was thrown") {
  auto const line = std::source_location::current().line() + 1;
  glt::precondition_error const error("3 columns, expected 4");
  CHECK(std::string(error.what()) == "3 columns, expected 4");
  CHECK(error.where().line() == line);
  CHECK(std::string(error.where().file_name()).ends_with("error.cpp"));
}

TEST_CASE("an error can be told another place") {
  auto const here = std::source_location::current();
  CHECK(glt::collective_error(1, "x", here).where().line() == here.line());
  CHECK(glt::io_error("a", 0, "x", here).where().line() == here.line());
}

TEST_CASE("an io_error names path and offset") {
  glt::io_error const error("/data/x.npy", 128, "the file ends early");
  CHECK(error.path() == "/data/x.npy");
  CHECK(error.offset() == 128);
  CHECK(std::string(error.what()) == "/data/x.npy (at byte 128): the file ends early");
  CHECK(error.cause() == "the file ends early");
  glt::io_error const whole("/data/x.npy", 0, "is empty");
  CHECK(std::string(whole.what()) == "/data/x.npy: is empty"); // no place in it is at fault
  CHECK(whole.cause() == "is empty");
}

TEST_CASE("a collective_error names rank and cause") {
  glt::collective_error const error(2, "seed 17 is negative");
  CHECK(error.rank() == 2);
  CHECK(error.cause() == "seed 17 is negative");
  CHECK(std::string(error.what()) == "rank 2: seed 17 is negative");
}

TEST_CASE("an error caught as its base keeps its type") {
  auto const thrown = std::make_exception_ptr(glt::io_error("p", 1, "m"));
  CHECK_THROWS_AS(std::rethrow_exception(thrown), glt::error);
  try {
    std::rethrow_exception(thrown);
  } catch (glt::error const& error) {
    CHECK(dynamic_cast<glt::io_error const*>(&error) != nullptr);
  }
}
