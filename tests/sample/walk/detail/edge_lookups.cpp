// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/detail/node2vec_step.hpp>

#include "support/naive_walks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using glt::device::cpu;

TEST_CASE("edges are found as the edge list says, in rows that ascend and in others") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const rows = glt_test::naive_rows(list);
    std::vector<std::size_t> order(list.sources.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return list.sources[i]; });
    glt_test::edge_list sorted{"sorted", list.num_vertices, {}, {}};
    for (auto const i : order) {
      sorted.add(list.sources[i], list.destinations[i]);
    }
    for (glt_test::edge_list const* edges : {&list, &std::as_const(sorted)}) {
      auto const graph = glt::make_csr<cpu>(edges->view());
      glt::detail::edge_search<glt::memory_space::host, glt::local_id> const search{graph.view(), edges == &sorted};
      for (std::int64_t const count : {0, 1, 5, 64, 300}) {
        std::vector<glt::detail::edge_lookup<glt::local_id>> lookups;
        for (std::int64_t i = 0; list.num_vertices > 0 && i < count; ++i) {
          auto const row = i * 13 % list.num_vertices;
          auto const& sources = rows[static_cast<std::size_t>(row)];
          auto const place = static_cast<std::size_t>(i);
          auto const source =
              i % 2 == 0 || sources.empty() ? i * 7 % list.num_vertices : sources[place % sources.size()].first;
          lookups.push_back(
              {.row = row, .source = static_cast<glt::local_id>(source), .found = i % 3 == 0, .low = 0, .high = 0});
        }
        glt::detail::look_up(search, std::span(lookups));
        CHECK(std::ranges::all_of(lookups, [&](auto const& it) {
          return it.found == glt_test::is_in_row(rows[static_cast<std::size_t>(it.row)], it.source);
        }));
      }
    }
  }
}
