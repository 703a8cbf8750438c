// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/text/detail/edge_lines.hpp>

#include <cstdint>

using namespace glt;
using namespace glt_test;

TEST_CASE("a graph has one type of each and the name of its file") {
  auto const set = io::detail::graph_of("folder.x/web-graph.txt.gz");
  CHECK(set.name == "web-graph");
  CHECK(set.nodes.size() == 1);
  CHECK(set.edges.size() == 1);
  CHECK(io::detail::graph_of("memory").name == "memory");
  CHECK(io::detail::graph_of(".hidden.txt").name == ".hidden");
}

TEST_CASE("many more vertices than edges are refused, a few or as many are not") {
  CHECK_NOTHROW(io::detail::check_density("a.txt", 0, 0, ""));
  CHECK_NOTHROW(io::detail::check_density("a.txt", 1 << 20, 0, ""));
  CHECK_NOTHROW(io::detail::check_density("a.txt", std::int64_t{1} << 40, std::int64_t{1} << 34, ""));
  CHECK(names(thrown<io_error>([&] { io::detail::check_density("a.txt", std::int64_t{1} << 40, 3, "do that"); }),
              "a.txt: has 3 edges and numbers vertices up to 1099511627775", "do that"));
}
