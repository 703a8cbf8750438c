// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/text/detail/columns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// Lines of one number each.
struct numbers {
  void parse(io::detail::text_cursor cursor) {
    while (!cursor.done()) {
      values.push_back(cursor.integer<std::int64_t>("a number"));
      cursor.end_line("it");
    }
  }
  void append(numbers& other) {
    values.insert(values.end(), other.values.begin(), other.values.end());
    other.values.clear();
  }
  void reserve(double factor) { reserved = factor; }
  [[nodiscard]] numbers fresh() const { return {}; }

  std::vector<std::int64_t> values;
  double reserved = 0;
};

// Lines that know how many rows are before them; those with a minus are none.
struct counted {
  static constexpr bool counts_rows = true;
  static std::int64_t count_rows(io::detail::text_cursor cursor) {
    std::int64_t count = 0;
    for (; !cursor.done(); cursor.skip_line()) {
      count += cursor.peek() != '-' ? 1 : 0;
    }
    return count;
  }
  void parse(io::detail::text_cursor cursor, std::int64_t row) {
    for (; !cursor.done(); cursor.skip_line()) {
      if (cursor.peek() != '-') {
        rows.push_back(row++);
      }
    }
  }
  void append(counted& other) {
    rows.insert(rows.end(), other.rows.begin(), other.rows.end());
    other.rows.clear();
  }
  void reserve(double) {}
  [[nodiscard]] counted fresh() const { return {}; }

  std::vector<std::int64_t> rows;
};

static_assert(io::detail::line_reader<numbers> && io::detail::line_reader<counted>);

std::string text_of(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    text += std::to_string(i * i) + '\n';
  }
  return text;
}

} // namespace

TEST_CASE("lines keep their order with any number of threads and pieces of any size") {
  for (std::int64_t const count : {0, 1, 2, 5, 333}) {
    auto const text = text_of(count);
    for (int const threads : {1, 2, 3, 7}) {
      for (std::int64_t const piece : {1, 10, 100'000}) {
        CAPTURE(count);
        CAPTURE(threads);
        CAPTURE(piece);
        io::detail::text_source source("a", text, {.piece_bytes = piece});
        numbers lines;
        io::detail::parse_lines(source, {.threads = threads}, "reading", lines);
        REQUIRE(std::ssize(lines.values) == count);
        for (std::size_t i = 0; i < lines.values.size(); ++i) {
          REQUIRE(lines.values[i] == static_cast<std::int64_t>(i * i));
        }
      }
    }
  }
}

TEST_CASE("lines that count rows are told how many are before them") {
  for (int const threads : {1, 2, 5}) {
    io::detail::text_source source("a", "1\n-\n\n2\n-\n-\n3\n4", {.piece_bytes = 3});
    counted lines;
    io::detail::parse_lines(source, {.threads = threads}, "reading", lines);
    CHECK(lines.rows == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  }
}

TEST_CASE("of several faults the first one is told") {
  auto const text = text_of(100) + "bad\n" + text_of(50) + "worse\n" + text_of(100);
  for (int const threads : {1, 2, 4}) {
    io::detail::text_source source("a", text);
    numbers lines;
    CHECK(names(thrown<io_error>([&] { io::detail::parse_lines(source, {.threads = threads}, "reading", lines); }),
                "line 101, at \"bad\""));
  }
}

TEST_CASE("progress reaches the whole text, and may end the work") {
  auto const text = text_of(100);
  std::vector<std::int64_t> done;
  io::read_options options{.on_progress = [&](io::task_progress const& now) {
    CHECK(now.what == "reading numbers");
    CHECK(now.unit == "bytes");
    CHECK(now.total == std::ssize(text));
    done.push_back(now.done);
  }};
  io::detail::text_source source("a", text, {.piece_bytes = 64});
  numbers lines;
  io::detail::parse_lines(source, options, "reading numbers", lines);
  CHECK(done.size() > 3);
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(done.back() == std::ssize(text));
  CHECK(lines.reserved > 1);

  io::detail::text_source again("a", text, {.piece_bytes = 64});
  numbers others;
  options.on_progress = [](io::task_progress const&) { throw std::runtime_error("enough"); };
  CHECK(thrown<std::runtime_error>([&] { io::detail::parse_lines(again, options, "reading", others); }) == "enough");
  CHECK(others.values.size() < 100);
}

TEST_CASE("a number of threads that makes no sense is refused") {
  io::detail::text_source source("a", "1\n");
  numbers lines;
  CHECK(names(thrown<precondition_error>([&] { io::detail::parse_lines(source, {.threads = 0}, "reading", lines); }),
              "0 threads"));
}

TEST_CASE("single lines and the first one with data are found across pieces") {
  io::detail::text_source source("a", "head\r\n\n# 1\n  \n  5 6\n7\n", {.piece_bytes = 2});
  CHECK(io::detail::next_line(source) == "head");
  CHECK(io::detail::next_line(source) == "");
  auto first = io::detail::find_data(source, "#");
  REQUIRE(first);
  CHECK(first->source().place(first->at()).line == 5);
  CHECK(io::detail::next_line(source) == "  5 6");
  CHECK(io::detail::next_line(source) == "7");
  CHECK_FALSE(io::detail::next_line(source));
  CHECK_FALSE(io::detail::find_data(source, "#"));
}
