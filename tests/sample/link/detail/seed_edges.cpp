// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/seed_edges.hpp>

#include <glt/core/random.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace {

using ids = glt::host_view<glt::local_id const>;

} // namespace

TEST_CASE("edges are counted, found and listed once, in batches of any size") {
  glt::detail::seed_edges<glt::device::cpu, glt::local_id> edges; // reused: nothing of the last batch may shine through
  for (std::uint64_t const size : {300, 0, 1, 17, 64}) {
    std::vector<glt::local_id> sources;
    std::vector<glt::local_id> destinations;
    glt::random_stream draws(glt::random_key(1), size);
    for (std::uint64_t i = 0; i < size; ++i) {
      sources.push_back(static_cast<glt::local_id>(draws.below(9)));
      destinations.push_back(static_cast<glt::local_id>(draws.below(9)));
    }
    edges.assign(ids(sources), ids(destinations));
    std::map<std::pair<int, int>, std::int64_t> seen;
    REQUIRE(edges.size() == static_cast<std::int64_t>(size));
    for (std::size_t i = 0; i < size; ++i) {
      auto const at = static_cast<std::int64_t>(i);
      CHECK(edges.view().sources[at] == sources[i]);
      CHECK(edges.view().destinations[at] == destinations[i]);
      CHECK(edges.view().occurrences[at] == seen[{sources[i], destinations[i]}]++);
    }
    for (glt::local_id s = 0; s < 9; ++s) {
      for (glt::local_id d = 0; d < 9; ++d) {
        CHECK(edges.view().contains(s, d) == seen.contains({s, d}));
      }
    }
    auto next = seen.begin();
    for (std::int64_t i = 0; i < edges.size(); ++i) {
      if (edges.view().is_distinct(i)) {
        REQUIRE(next != seen.end());
        CHECK(edges.view().sorted_sources[i] == next->first.first);
        CHECK(edges.view().sorted_destinations[i] == next->first.second);
        ++next;
      }
    }
    CHECK(next == seen.end());
  }
}
