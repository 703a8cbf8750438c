// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/allocations.hpp"

#include <doctest/doctest.h>

#include <glt/core/error.hpp>

#include <cstdint>
#include <limits>
#include <locale>
#include <new>
#include <optional>
#include <string>
#include <string_view>

TEST_CASE("message joins texts and numbers") {
  CHECK(glt::detail::message("seed ", 3, " is ", std::int64_t{-1}, ", of ", std::string("5"),
                             std::string_view(" ids")) == "seed 3 is -1, of 5 ids");
  CHECK(glt::detail::message("alone") == "alone");
  CHECK(glt::detail::message('a', true, false, 0.1, ' ', 1e300, ' ', 1234567.0F, ' ',
                             std::numeric_limits<std::uint64_t>::max()) ==
        "a100.1 1e+300 1.23457e+06 18446744073709551615");
  CHECK(glt::detail::message().empty());
}

TEST_CASE("a locale that groups digits does not reach a message") {
  struct groups : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  auto const before = std::locale::global(std::locale(std::locale(), new groups));
  auto const text = glt::detail::message(1234567, ' ', 0.5);
  std::locale::global(before);
  CHECK(text == "1234567 0.5");
}

TEST_CASE("a message is complete or not made, whichever allocation fails") {
  std::string const part(100, 'x');
  bool failed = true;
  for (int number = 1; failed; ++number) {
    REQUIRE(number < 100);
    std::optional<std::string> text;
    {
      glt_test::failing_allocation const armed(number);
      try {
        text = glt::detail::message(part, 12345678901234, part, part, 0.25, part);
      } catch (std::bad_alloc const&) {
      }
      failed = armed.has_failed();
    }
    CHECK(text.has_value() != failed);
    if (text) {
      CHECK(*text == part + "12345678901234" + part + part + "0.25" + part);
    }
  }
}
