// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/text/detail/edge_lines.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using column = io::detail::edge_column;

io::detail::edge_lines read(std::string_view text, std::vector<column> columns, global_id first = 0,
                            std::int64_t num_vertices = 100) {
  io::detail::text_source source("a.txt", text);
  static_cast<void>(source.load());
  io::detail::edge_lines lines(std::move(columns), first, num_vertices);
  lines.parse({source, source.unread()});
  return lines;
}

std::string fault_of(std::string_view text, std::vector<column> columns, global_id first = 0) {
  return thrown<io_error>([&] { static_cast<void>(read(text, std::move(columns), first)); });
}

} // namespace

TEST_CASE("columns are read as what they are") {
  auto const edges = read("3 4 word 0.5 -7\n4,4,x,2,8\n", {column::ignored, column::weight, column::time}).finish();
  CHECK(edges.sources == std::vector<global_id>{3, 4});
  CHECK(edges.destinations == std::vector<global_id>{4, 4});
  CHECK(edges.weights == std::vector<float>{0.5F, 2});
  CHECK(edges.times == std::vector<std::int64_t>{-7, 8});
}

TEST_CASE("lines are appended and the largest vertex is known") {
  auto lines = read("1 2 3\n", {column::weight}, 1);
  CHECK(lines.largest() == 1);
  auto other = read("9 5 4\n", {column::weight}, 1);
  lines.append(other);
  CHECK(lines.largest() == 8);
  auto none = lines.fresh();
  CHECK(none.largest() == -1);
  lines.append(none);
  lines.append(other); // was emptied
  auto const edges = std::move(lines).finish();
  CHECK(edges.sources == std::vector<global_id>{0, 8});
  CHECK(edges.destinations == std::vector<global_id>{1, 4});
  CHECK(edges.weights == std::vector<float>{3, 4});
}

TEST_CASE("a vertex that does not exist, and a column that is none, are refused") {
  CHECK(names(fault_of("0 1\n", {}, 1), "at \"0 1\": a source vertex is below the first one, 1"));
  CHECK(names(fault_of("1 101\n", {}, 1), "at \"101\": a destination vertex is none of 100 vertices from 1 on"));
  CHECK(names(fault_of("1\n", {}), "behind \"1\": the line ends where a destination vertex should follow"));
  CHECK(names(fault_of("1 2\n", {column::weight}), "the line ends where a weight should follow"));
  CHECK(names(fault_of("1 2 0.5\n", {column::time}), "at \".5\": the line should end here"));
  CHECK(names(fault_of("1 2 x\n", {column::time}), "at \"x\": a time should be here, as an integer"));
  CHECK(names(fault_of("1 2\n", {column::ignored}), "the line ends where another column should follow"));
  CHECK(names(fault_of("1 2 3\n", {}), "at \"3\": the line should end here, behind source, destination"));
}
