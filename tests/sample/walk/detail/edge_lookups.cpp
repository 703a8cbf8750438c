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
      bool const ascending = edges == &sorted;
      glt::detail::edge_search<glt::memory_space::host, glt::local_id> const search{graph.view(), ascending};
      for (std::int64_t const count : {0, 1, 5, 64, 300}) {
        std::vector<glt::detail::edge_lookup<glt::local_id>> lookups;
        std::vector<bool> wanted;
        for (std::int64_t i = 0; list.num_vertices > 0 && i < count; ++i) {
          auto const row = i * 13 % list.num_vertices;
          auto const& sources = rows[static_cast<std::size_t>(row)];
          auto const place = static_cast<std::size_t>(i);
          auto const source = static_cast<glt::local_id>(
              i % 2 == 0 || sources.empty() ? i * 7 % list.num_vertices : sources[place % sources.size()].first);
          auto const row_of_graph = graph.view().row(row);
          lookups.push_back({source, row_of_graph.data(), row_of_graph.data() + row_of_graph.size()});
          wanted.push_back(glt_test::is_in_row(sources, source));
          CHECK(search(row, source) == wanted.back());
        }
        if (ascending) {
          glt::detail::look_up(std::span(lookups));
          CHECK(std::ranges::equal(lookups, wanted, {}, &glt::detail::edge_lookup<glt::local_id>::found));
        }
      }
    }
  }
}
