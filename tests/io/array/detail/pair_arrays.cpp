// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/array/detail/array_values.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using ids = std::vector<global_id>;

io::array matrix(std::vector<std::int32_t> const& values, std::int64_t rows, std::int64_t columns) {
  return io::array::of(host_view<std::int32_t const>(values), {rows, columns});
}

std::pair<ids, ids> read(io::array const& values, io::detail::pair_layout layout) {
  auto const pairs = io::detail::to_pairs(values, "edges.npy", layout);
  return {pairs.sources, pairs.destinations};
}

std::string fault_of(io::array const& values, io::detail::pair_layout layout) {
  return thrown<io_error>([&] { static_cast<void>(read(values, layout)); });
}

} // namespace

TEST_CASE("pairs are read from two rows and from two columns") {
  using enum io::detail::pair_layout;
  std::pair<ids, ids> const expected{{1, 2, 3}, {4, 5, 6}};
  CHECK(read(matrix({1, 2, 3, 4, 5, 6}, 2, 3), rows) == expected);
  CHECK(read(matrix({1, 2, 3, 4, 5, 6}, 2, 3), either) == expected);
  CHECK(read(matrix({1, 4, 2, 5, 3, 6}, 3, 2), columns) == expected);
  CHECK(read(matrix({1, 4, 2, 5, 3, 6}, 3, 2), either) == expected);
  std::pair<ids, ids> const by_rows{{1, 2}, {3, 4}};
  std::pair<ids, ids> const by_columns{{1, 3}, {2, 4}};
  CHECK(read(matrix({1, 2, 3, 4}, 2, 2), rows) == by_rows);
  CHECK(read(matrix({1, 2, 3, 4}, 2, 2), either) == by_rows);
  CHECK(read(matrix({1, 2, 3, 4}, 2, 2), columns) == by_columns);
  std::pair<ids, ids> const none;
  CHECK(read(matrix({}, 2, 0), rows) == none);
  CHECK(read(matrix({}, 0, 2), columns) == none);
  CHECK(read(matrix({}, 0, 2), either) == none);
}

TEST_CASE("another shape is refused") {
  using enum io::detail::pair_layout;
  std::vector<std::int32_t> const six{1, 2, 3, 4, 5, 6};
  CHECK(names(fault_of(matrix(six, 3, 2), rows), "edges.npy", "(3, 2)", "[2, E]", "transpose"));
  CHECK(names(fault_of(matrix(six, 2, 3), columns), "(2, 3)", "[E, 2]", "transpose"));
  CHECK(names(fault_of(matrix(six, 6, 1), either), "(6, 1)", "[2, E] or [E, 2]"));
  CHECK(names(fault_of(io::array::of(host_view<std::int32_t const>(six)), either), "(6,)"));
  CHECK(names(fault_of(io::array::of(host_view<std::int32_t const>(six), {2, 1, 3}), rows), "(2, 1, 3)"));
}
