// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/edge_search.hpp>

#include "support/executors.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using glt::device::cpu;

// The same edges in an order in which every row ascends.
glt_test::edge_list sorted(glt_test::edge_list const& list) {
  auto pairs = glt_test::pairs_of(list.view());
  std::ranges::sort(pairs);
  glt_test::edge_list made{list.name + ", sorted", list.num_vertices, {}, {}};
  for (auto const& [source, destination] : pairs) {
    made.add(source, destination);
  }
  return made;
}

void check_all_pairs(glt_test::edge_list const& list) {
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const pairs = glt_test::pairs_of(list.view());
  std::set<std::pair<std::int64_t, std::int64_t>> const edges(pairs.begin(), pairs.end());
  bool const ascending = glt::detail::rows_ascend(glt::exec::sequential{}, graph.view());
  std::int64_t const step = list.num_vertices > 300 ? 37 : 1;
  std::int64_t wrong = 0;
  using search = glt::detail::edge_search<glt::memory_space::host, glt::local_id>;
  for (std::int64_t destination = 0; destination < list.num_vertices; destination += step) {
    for (std::int64_t source = 0; source < list.num_vertices; ++source) {
      bool const exists = edges.contains({source, destination});
      auto const narrow = static_cast<glt::local_id>(source);
      wrong += search{graph.view()}(destination, narrow) != exists;
      if (ascending) {
        wrong += search{graph.view(), true}(destination, narrow) != exists;
      }
    }
  }
  CAPTURE(list.name);
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("edges are found in rows of any order, and by halves where rows ascend") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    check_all_pairs(list);
    check_all_pairs(sorted(list));
  }
}

TEST_CASE("rows ascend if every one does, on every executor") {
  auto const list = glt_test::random_graph(3001, 20011);
  auto const ascending = glt::make_csr<cpu>(sorted(list).view());
  auto const any = glt::make_csr<cpu>(list.view());
  auto const empty = glt::make_csr<cpu>(glt_test::edge_list{"", 0, {}, {}}.view());
  glt_test::edge_list last{"the last row descends", 3000, {5, 5, 7, 6}, {1, 1, 2999, 2999}};
  auto const descending = glt::make_csr<cpu>(last.view());
  glt_test::for_each_executor([&](std::string const& name, auto const& ex) {
    CAPTURE(name);
    CHECK(glt::detail::rows_ascend(ex, ascending.view()));
    CHECK(glt::detail::rows_ascend(ex, empty.view()));
    CHECK(!glt::detail::rows_ascend(ex, any.view()));
    CHECK(!glt::detail::rows_ascend(ex, descending.view()));
  });
}
