// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/text/detail/text_cursor.hpp>

#include <cstdint>
#include <string>
#include <string_view>

using namespace glt;
using namespace glt_test;

namespace {

// Runs f with a cursor over a text.
template <class F>
auto over(std::string_view text, F f) {
  io::detail::text_source source("a.txt", text);
  static_cast<void>(source.load());
  io::detail::text_cursor cursor(source, source.unread());
  return f(cursor);
}

// Reads a line of two integers and a number.
std::string fault_of(std::string_view text) {
  return thrown<io_error>([&] {
    over(text, [](io::detail::text_cursor& cursor) {
      static_cast<void>(cursor.natural<std::int32_t>("an id"));
      cursor.next_column("a count");
      static_cast<void>(cursor.integer<std::int64_t>("a count"));
      cursor.next_column("a weight");
      static_cast<void>(cursor.real<float>("a weight"));
      cursor.end_line("id, count and weight");
    });
  });
}

} // namespace

TEST_CASE("columns are separated by blanks, tabs, a comma or a semicolon") {
  for (char const* text :
       {"1 -2 3.5", "1,-2,3.5", "1;-2;3.5\n", "1\t-2\t3.5\r\n", "1 , -2 ,\t3.5 \t\n", "1  -2  3.5 ", "1,-2,3.5\r"}) {
    CAPTURE(text);
    over(text, [](io::detail::text_cursor cursor) {
      CHECK(cursor.natural<std::int32_t>("an id") == 1);
      cursor.next_column("a count");
      CHECK(cursor.number<std::int64_t>("a count") == -2);
      cursor.next_column("a weight");
      CHECK(cursor.number<double>("a weight") == 3.5);
      cursor.end_line("all");
      CHECK(cursor.done());
    });
  }
}

TEST_CASE("every fault names its line, its place and what should be there") {
  CHECK(names(fault_of("x 2 3"), "a.txt: line 1, at \"x 2 3\": an id should be here, as an integer"));
  CHECK(names(fault_of("-1 2 3"), "at \"-1 2 3\": an id must not be negative"));
  CHECK(names(fault_of("2147483648 2 3"), "an id does not fit an integer of 32 bits"));
  CHECK(names(fault_of("1"), "(at byte 1): line 1, at its end behind \"1\"",
              "the line ends where a count should follow"));
  CHECK(names(fault_of("1 \n2 3"), "behind \"1 \": the line ends where a count should follow"));
  CHECK(names(fault_of("1.5 2 3"), "at \".5 2 3\": does not belong to a number, nor separates two"));
  CHECK(names(fault_of("1,,2 3"), "at \",2 3\": a count should be here, as an integer"));
  CHECK(names(fault_of("1 2 x"), "at \"x\": a weight should be here, as a number"));
  CHECK(names(fault_of("1 2 1e99"), "at \"1e99\": a weight does not fit a number of 32 bits"));
  CHECK(names(fault_of("1 2 3 4"), "at \"4\": the line should end here, behind id, count and weight"));
  CHECK(names(fault_of("1 2 3x"), "at \"x\": the line should end here"));
  CHECK(names(fault_of("1 2 3\r4"), R"(at "\x0d4": the line should end here)"));
  CHECK(names(fault_of(std::string("1\0 2 3", 6)), R"(at "\x00 2 3": does not belong)"));
}

TEST_CASE("lines without data are passed over") {
  over("  \n\t\r\n# 1\n %2\n\n7\n", [](io::detail::text_cursor cursor) {
    for (int line = 0; line < 5; ++line) {
      REQUIRE(cursor.skip_line_without_data("#%"));
    }
    CHECK_FALSE(cursor.skip_line_without_data("#%"));
    CHECK(cursor.peek() == '7');
    cursor.skip_line();
    CHECK(cursor.done());
    CHECK(cursor.peek() == '\0');
    CHECK(cursor.at_line_end());
    cursor.skip_line();
    CHECK(cursor.done());
  });
}

TEST_CASE("words end at blanks, separators and line ends") {
  over("one, two\tthree\r\n", [](io::detail::text_cursor cursor) {
    CHECK(cursor.word() == "one");
    CHECK(cursor.skip_separator());
    CHECK(cursor.word() == "two");
    CHECK(cursor.skip_separator());
    CHECK(cursor.word() == "three");
    CHECK_FALSE(cursor.skip_separator());
    CHECK(cursor.word().empty());
  });
}
