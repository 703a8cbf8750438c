// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/edge_exclusions.hpp>

#include <glt/graph/csr.hpp>

#include "support/graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using graph_view = glt::csr_view<glt::memory_space::host>;

} // namespace

TEST_CASE("a search finds what a scan finds, keeps what has room, and counts all") {
  for (std::int64_t const degree : {0, 1, 31, 32, 33, 64, 200}) {
    for (std::int64_t const num_excluded : {1, 3, 8, 9, 20}) { // few sources are sought block by block, many are not
      for (bool const ascending : {false, true}) {
        std::vector<glt::local_id> sources;
        for (std::int64_t i = 0; i < degree; ++i) {
          sources.push_back(static_cast<glt::local_id>(ascending ? i / 3 : i * 7 % 50)); // parallel edges in any case
        }
        std::vector<glt::edge_offset> const offsets{0, degree};
        std::vector<glt::detail::row_edge> edges;
        std::vector<glt::edge_offset> expected;
        for (std::int64_t x = 0; x < num_excluded; ++x) {
          edges.push_back({0, 3 * x + 1});
        }
        for (std::int64_t i = 0; i < degree; ++i) {
          auto const source = sources[static_cast<std::size_t>(i)];
          if (source % 3 == 1 && source / 3 < num_excluded) {
            expected.push_back(i);
          }
        }
        std::vector<std::int64_t> const rows{0};
        std::vector<std::int64_t> const first{0, num_excluded};
        graph_view const graph(100, offsets, sources);
        glt::detail::find_excluded<graph_view> const find{graph, ascending, edges, rows, first, {}, {}};
        std::vector<glt::edge_offset> found(static_cast<std::size_t>(degree) + 1, -1);
        CHECK(find.search(0, found.data(), degree) == static_cast<std::int64_t>(expected.size()));
        CHECK(std::equal(expected.begin(), expected.end(), found.begin()));
        CHECK(found[expected.size()] == -1);
        std::vector<glt::edge_offset> cut(3, -1);
        CHECK(find.search(0, cut.data(), 2) == static_cast<std::int64_t>(expected.size()));
        auto const kept = static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, expected.size()));
        CHECK(std::equal(cut.begin(), cut.begin() + kept, expected.begin()));
        CHECK(cut[2] == -1);
        std::vector<glt::edge_offset> by_team(found.size(), -1);
        CHECK(find.search_by(glt::detail::serial_team<32>{}, 0, by_team.data(), degree) ==
              static_cast<std::int64_t>(expected.size()));
        CHECK(by_team == found);
      }
    }
  }
}
