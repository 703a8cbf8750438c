// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/draw.hpp>

#include "support/naive_sampler.hpp"

#include <cstdint>
#include <vector>

using glt::device::cpu;

TEST_CASE("a drawer gives every row its draws, again and again") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const rows_of_list = glt_test::naive_rows(list);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::detail::hop_drawer<cpu> drawer;
  glt::detail::hop_sample<cpu, glt::local_id> out;
  for (std::vector<glt::local_id> const& rows : {std::vector<glt::local_id>{7, 0, 255}, {}, {3}}) {
    for (bool const ids : {true, false}) {
      glt::detail::hop_request<glt::memory_space::host, glt::local_id> const request{
          .rows = rows, .original = {}, .options = {.fanout = 4}, .key = glt::random_key(8)};
      drawer.draw(graph.view(), request, ids, out);
      std::vector<std::int64_t> sources;
      std::vector<std::int64_t> edges;
      for (auto const row : rows) {
        auto const& edges_of_row = rows_of_list[static_cast<std::size_t>(row)];
        for (auto const at :
             glt_test::naive_pick(glt::random_key(8), row, static_cast<std::int64_t>(edges_of_row.size()), 4, false)) {
          sources.push_back(edges_of_row[static_cast<std::size_t>(at)].first);
          edges.push_back(edges_of_row[static_cast<std::size_t>(at)].second);
        }
      }
      CHECK(std::vector<std::int64_t>(out.sources.begin(), out.sources.end()) == sources);
      CHECK(out.offsets.size() == static_cast<std::int64_t>(rows.size()) + 1);
      CHECK(std::vector<std::int64_t>(out.edge_ids.begin(), out.edge_ids.end()) ==
            (ids ? edges : std::vector<std::int64_t>{}));
    }
  }
}
