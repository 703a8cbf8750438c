// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/detail/table_checks.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("ids are checked against the vertices of a type, and the first bad one is named") {
  io::raw_data::node_table nodes;
  nodes.name = "paper";
  nodes.num_nodes = 3;
  CHECK_NOTHROW(io::detail::check_ids("ids.npy", {}, nodes));
  CHECK_NOTHROW(io::detail::check_ids("ids.npy", std::vector<global_id>{0, 2, 1, 2}, nodes));
  CHECK(names(thrown<io_error>([&] { io::detail::check_ids("ids.npy", std::vector<global_id>{0, 3, -1}, nodes); }),
              "ids.npy", "id 1 is 3", "outside [0, 3)", "'paper'"));
  CHECK(names(thrown<io_error>([&] { io::detail::check_ids("ids.npy", std::vector<global_id>{0, -1}, nodes); }),
              "id 1 is -1"));
  CHECK(io::detail::vertices_of_type(nodes) == "vertices of type 'paper'");
}

TEST_CASE("an id that comes again is found, and both places are named") {
  CHECK_NOTHROW(io::detail::check_unique("ids.npy", {}));
  CHECK_NOTHROW(io::detail::check_unique("ids.npy", std::vector<global_id>{8, 0, 3}));
  CHECK_NOTHROW(io::detail::check_unique("ids.npy", std::vector<global_id>{0, 3, 8}));
  CHECK(names(thrown<io_error>([&] { io::detail::check_unique("ids.npy", std::vector<global_id>{8, 0, 3, 0, 8}); }),
              "ids.npy", "id 3 is 0, as id 1 is"));
}

TEST_CASE("rows are compared with what they describe") {
  CHECK_NOTHROW(io::detail::check_rows("f.npy", 3, 3, "vertices"));
  CHECK(names(thrown<io_error>([&] { io::detail::check_rows("f.npy", 2, 3, "vertices"); }), "f.npy", "wrong row count",
              "2 rows for 3 vertices"));
  CHECK(io::detail::edges_of_type(io::raw_data::edge_table()) == "edges 'node edge node'");
}

TEST_CASE("ids are counted by the highest") {
  using ids = std::vector<global_id>;
  CHECK(io::detail::count_ids({}, 0) == 0);
  CHECK(io::detail::count_ids({}, 4) == 4);
  CHECK(io::detail::count_ids(ids{3, 7, 0}, 4) == 8);
  CHECK(io::detail::count_ids(ids{3}, 5) == 5);
  CHECK(io::detail::count_ids(ids{-3}, 0) == 0);
  CHECK(io::detail::count_ids(ids{INT64_MAX}, 0) == INT64_MAX);
}
