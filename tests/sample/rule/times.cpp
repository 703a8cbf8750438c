// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/times.hpp>

#include <glt/exec/threaded.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/edge_values.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using glt::device::cpu;

TEST_CASE("sorted rows are accepted, whatever follows from one row to the next") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view());
    std::vector<std::int64_t> falling(static_cast<std::size_t>(list.num_edges()));
    std::iota(falling.rbegin(), falling.rend(), -5);
    auto const sorted = glt::sort_rows_by_time(graph.view(), falling);
    CHECK_NOTHROW(glt::validate(sorted.graph.view(), sorted.times.view()));
    std::vector<std::int64_t> const equal(falling.size(), 3);
    CHECK_NOTHROW(glt::validate(graph.view(), glt::host_view<std::int64_t const>(equal)));
  }
}

TEST_CASE("the first row and position out of order are named, by every executor") {
  auto const list = glt_test::random_graph(3001, 20011);
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<std::int64_t> times(static_cast<std::size_t>(list.num_edges()), 10);
  std::vector<std::int64_t> long_rows;
  for (std::int64_t r = 0; r < 3001; ++r) {
    if (graph.view().degree(r) > 4) {
      long_rows.push_back(r);
    }
  }
  auto const row = long_rows[long_rows.size() / 2];
  times[static_cast<std::size_t>(graph.view().offset(row) + 2)] = 9;
  times[static_cast<std::size_t>(graph.view().offset(row) + 4)] = 8;
  times[static_cast<std::size_t>(graph.view().offset(long_rows.back()) + 1)] = 1;
  glt::detail::thread_pool pool(3);
  glt::host_view<std::int64_t const> const view(times);
  for (auto const& text : {glt_test::thrown<glt::precondition_error>([&] { glt::validate(graph.view(), view); }),
                           glt_test::thrown<glt::precondition_error>(
                               [&] { glt::validate(graph.view(), view, glt::exec::threaded(pool)); })}) {
    CHECK(
        glt_test::names(text, "time 2 of row " + std::to_string(row) + " is 9", "before it, 10", "sort_rows_by_time"));
  }
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { glt::validate(graph.view(), view.subview(0, 7)); }),
      "7 times for 20011 edges", "one time per edge"));
}
