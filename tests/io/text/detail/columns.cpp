// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/text/detail/columns.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class T>
io::array read(std::string_view text, io::detail::column_options const& options = {}) {
  io::detail::text_source source("a.csv", text);
  return io::detail::read_columns<T>(source, options);
}

template <class T>
std::string fault_of(std::string_view text, io::detail::column_options const& options = {}) {
  return thrown<io_error>([&] { static_cast<void>(read<T>(text, options)); });
}

} // namespace

TEST_CASE("tables of every size come back, with any number of threads") {
  random_stream draws(random_key(5), 0);
  for (std::int64_t const rows : {0, 1, 7, 200}) {
    for (std::int64_t const columns : {1, 2, 5}) {
      std::vector<std::int32_t> values;
      std::string text = "# a comment\n";
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        values.push_back(static_cast<std::int32_t>(draws.below(1U << 31)) - (1 << 30));
        text += std::to_string(values.back()) + ((i + 1) % columns != 0 ? "," : i % 3 == 0 ? "\r\n" : "\n\n");
      }
      for (int const threads : {1, 3}) {
        io::detail::text_source source("a", text, {.piece_bytes = 100});
        auto const table = io::detail::read_columns<std::int32_t>(source, {.columns = columns}, {.threads = threads});
        REQUIRE(table.shape() == std::vector{rows, columns});
        auto const got = table.values<std::int32_t>();
        REQUIRE(std::vector(got.begin(), got.end()) == values);
      }
    }
  }
}

TEST_CASE("the number of columns is that of the first line") {
  auto const table = read<float>("a header, of words\n% comment\n\n1 2.5,nan\n-4;5\tinf\n", {.header_lines = 1});
  REQUIRE(table.shape() == std::vector<std::int64_t>{2, 3});
  auto const values = table.matrix<float>();
  CHECK(values(0, 1) == 2.5F);
  CHECK(std::isnan(values(0, 2)));
  CHECK(values(1, 0) == -4);
  CHECK(std::isinf(values(1, 2)));
  CHECK(read<double>("").shape() == std::vector<std::int64_t>{0, 0});
  CHECK(read<double>("# nothing\n", {.columns = 3}).shape() == std::vector<std::int64_t>{0, 3});
  CHECK(read<double>("1\n", {.header_lines = 1}).rows() == 0);
  CHECK(names(thrown<io_error>([] { static_cast<void>(read<double>("1\n", {.header_lines = 9})); }), "1 lines",
              "its header 9"));
}

TEST_CASE("a line that is no row is refused") {
  CHECK(names(fault_of<std::int64_t>("1,2\n3\n"), "a.csv (at byte 5): line 2, at its end behind \"3\"",
              "the line ends where another column should follow"));
  CHECK(names(fault_of<std::int64_t>("1,2\n3,4,5\n"), "line 2, at \",5\": the line should end here"));
  CHECK(names(fault_of<std::int64_t>("1,2\n3,4.5\n"), "line 2, at \".5\": the line should end here"));
  CHECK(names(fault_of<std::int64_t>("1,2\n,4\n"), "line 2, at \",4\": a number should be here"));
  CHECK(names(fault_of<std::int64_t>("1,2,\n"), "line 1, at its end behind \"1,2,\": a number should be here"));
  CHECK(names(fault_of<float>("1\nx\n"), "line 2, at \"x\": a number should be here"));
  CHECK(names(fault_of<std::int64_t>("1,2\n", {.columns = 3}), "another column should follow"));
}

TEST_CASE("options that make no sense are refused") {
  for (std::int64_t const columns : {0, -2}) {
    CHECK(names(thrown<precondition_error>([&] { static_cast<void>(read<float>("", {.columns = columns})); }),
                "columns; give 1 or more"));
  }
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(read<float>("", {.header_lines = -1})); }),
              "a header of -1 lines"));
}

TEST_CASE("a packed table is read from its file") {
  scratch_folder const scratch;
  write_bytes(scratch / "a.csv.gz", gzip("1,2\n3,4\n"));
  auto const table = io::detail::read_columns<std::int64_t>(scratch / "a.csv.gz", {.columns = 2});
  CHECK(table.rows() == 2);
  CHECK(table.matrix<std::int64_t>()(1, 1) == 4);
}
