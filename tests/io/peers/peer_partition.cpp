// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/peer_partition.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/peer_folders.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace glt::io;
using glt::io::detail::check_cover;
using glt::io::detail::peer_edges;
using glt::io::detail::peer_ids;
using glt::io::detail::place_rows;
using glt_test::names;

namespace {

using ids = std::vector<std::int64_t>;

array rows_of(std::vector<float> const& values, ids shape) {
  return array::of(glt::host_view<float const>(values), std::move(shape));
}

template <class F>
std::string refused(F f) {
  return glt_test::thrown<glt::io_error>(f);
}

} // namespace

TEST_CASE("Lists that name everything once, in its part, pass and others say what is wrong") {
  std::vector<std::int32_t> const book{1, 0, 1};
  auto const check = [&](ids first, ids second) {
    return refused([&] { check_cover({{"a", std::move(first)}, {"b", std::move(second)}}, 3, book, "things"); });
  };
  CHECK(check({1}, {2, 0}) == "(nothing was thrown)");
  CHECK(names(check({1}, {2}), "a", "list 2 of 3 things"));
  CHECK(names(check({1}, {2, 2}), "b", "lists 2 of the things", "before"));
  CHECK(names(check({1}, {2, 3}), "lists 3", "outside [0, 3)"));
  CHECK(names(check({1}, {2, -1}), "lists -1"));
  CHECK(names(check({1, 2}, {0}), "a", "lists 2", "is in part 1"));
  CHECK(refused([] { check_cover({{"a", {1, 0}}}, 2, {}, "things"); }) == "(nothing was thrown)");
  CHECK(refused([] { check_cover({{"a", {}}}, 0, {}, "things"); }) == "(nothing was thrown)");
}

TEST_CASE("Rows are put where their ids say") {
  std::vector<peer_ids> const parts{{"a", {2, 0}}, {"b", {}}, {"c", {1}}};
  auto const placed = place_rows(parts, 3, 1000, [&](std::size_t p) -> std::optional<array> {
    return p == 0   ? std::optional(rows_of({4, 5, 0, 1}, {2, 2}))
           : p == 1 ? std::nullopt
                    : std::optional(rows_of({2, 3}, {1, 2}));
  });
  REQUIRE(placed.has_value());
  CHECK(placed->shape() == ids{3, 2});
  auto const values = placed->values<float>();
  CHECK(std::vector<float>(values.begin(), values.end()) == std::vector<float>{0, 1, 2, 3, 4, 5});
  CHECK_FALSE(place_rows(parts, 3, 1000, [](std::size_t) { return std::optional<array>(); }).has_value());
}

TEST_CASE("Rows that contradict each other or need more memory than the files hold are refused") {
  std::vector<peer_ids> const parts{{"a", {1}}, {"b", {0}}};
  auto const place = [&](std::int64_t available, std::optional<array> first, std::optional<array> second) {
    return refused([&] {
      static_cast<void>(
          place_rows(parts, 2, available, [&](std::size_t p) { return std::move(p == 0 ? first : second); }));
    });
  };
  CHECK(place(16, rows_of({1, 2}, {1, 2}), rows_of({1, 2}, {1, 2})) == "(nothing was thrown)");
  CHECK(names(place(15, rows_of({1, 2}, {1, 2}), rows_of({1, 2}, {1, 2})), "a", "no room for 2"));
  CHECK(names(place(16, rows_of({1, 2}, {1, 2}), rows_of({1}, {1, 1})), "b", "another type or size"));
  CHECK(names(place(16, rows_of({1, 2}, {1, 2}), std::nullopt), "b", "no rows where other parts"));
  CHECK(names(place(16, rows_of({1, 2}, {2, 1}), std::nullopt), "a", "wrong row count"));
  CHECK(names(place(16, rows_of({1}, {}), std::nullopt), "a"));
}

TEST_CASE("Edges are put where their ids say, and belong to a part by one of their ends") {
  node_table nodes;
  nodes.num_nodes = 3;
  std::vector<peer_edges> parts{{{"a", {1, 2}}, {0, 1}, {2, 2}}, {{"b", {0}}, {2}, {2}}};
  edge_table table;
  detail::place_edges(table, parts, nodes, nodes, {});
  CHECK(table.sources == ids{2, 0, 1});
  CHECK(table.destinations == ids{2, 2, 2});
  std::vector<std::int32_t> const by_source{0, 0, 1};
  std::vector<std::int32_t> const wrong{1, 0, 1};
  CHECK(refused([&] { detail::check_edge_owners(parts, by_source, wrong); }) == "(nothing was thrown)");
  CHECK(names(refused([&] { detail::check_edge_owners(parts, wrong, wrong); }), "a", "in part 0"));
  parts[1].destinations = {3};
  CHECK(names(refused([&] { detail::place_edges(table, parts, nodes, nodes, {}); }), "b", "outside [0, 3)"));
  parts[1].destinations = {};
  CHECK(names(refused([&] { detail::place_edges(table, parts, nodes, nodes, {}); }), "b", "wrong row count"));
}

TEST_CASE("Names of types and numbers of parts are checked before files are named after them") {
  CHECK(detail::checked_type("m", "a b") == "a b");
  for (std::string const name : {"", "/", "../a", "a/b"}) {
    CHECK(names(refused([&] { static_cast<void>(detail::checked_type("m", name)); }), "names no file"));
  }
  CHECK(detail::checked_num_parts("m", 7) == 7);
  for (std::int64_t const count : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1} << 31}) {
    CHECK(names(refused([&] { static_cast<void>(detail::checked_num_parts("m", count)); }), "m", "parts"));
  }
  CHECK(names(refused([&] { static_cast<void>(detail::find_node_type("m", {}, "x")); }), "vertex type 'x'"));
}

TEST_CASE("A book of parts is read and its entries checked") {
  glt_test::scratch_folder const dir;
  glt_test::save_tensor(dir / "pb.pt", ids{0, 2, 1});
  auto const book = detail::read_part_book(dir / "pb.pt", 3);
  CHECK(std::vector<std::int64_t>(book.begin(), book.end()) == ids{0, 2, 1});
  CHECK(names(refused([&] { static_cast<void>(detail::read_part_book(dir / "pb.pt", 2)); }), "pb.pt",
              "puts 1 into part 2"));
  glt_test::save_tensor(dir / "pb.pt", ids{0, 1}, {1, 2});
  CHECK(names(refused([&] { static_cast<void>(detail::read_part_book(dir / "pb.pt", 2)); }), "shape (1, 2)"));
}
