// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/detail/serial_walks.hpp>

#include <glt/sample/walk/random_walk.hpp>

#include "support/naive_walks.hpp"

#include <cstdint>

using glt::device::cpu;

TEST_CASE("blocks of walkers of which many end early, whole blocks and parts of them") {
  // Half of the rows are empty, and a walk on a path ends after as many steps as its start says.
  glt_test::edge_list list{"path and pairs", 200, {}, {}};
  for (int v = 1; v < 90; ++v) {
    list.add(v - 1, v);
  }
  for (int v = 100; v < 200; v += 2) {
    list.add(v + 1, v);
  }
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  for (std::int64_t const count : {1, 63, 64, 65, 127, 128, 129, 1000}) {
    CAPTURE(count);
    auto const starts = glt_test::some_starts(200, count);
    for (double const restart : {0.0, 0.2}) {
      glt::walk_options const options{.length = 41, .restart = restart, .edge_ids = true};
      glt::walks<cpu> out;
      glt::random_walker<cpu>(graph.view(), options).walk(glt_test::narrowed(starts), {.seed = 8}, out);
      CHECK(glt_test::plain(out) == glt_test::naive_walks(list, starts, options, {.seed = 8}));
    }
  }
}
