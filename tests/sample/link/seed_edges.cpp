// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/seed_edges.hpp>

#include <glt/core/random.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace {

using ids = glt::host_view<glt::local_id const>;

} // namespace

TEST_CASE("edges are counted, found and listed once, in batches of any size") {
  glt::seed_edges<glt::local_id> edges; // reused: nothing of the last batch may shine through
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
      CHECK(edges[at] == glt::vertex_pair<glt::local_id>{sources[i], destinations[i]});
      CHECK(edges.occurrence(at) == seen[{sources[i], destinations[i]}]++);
    }
    for (glt::local_id s = 0; s < 9; ++s) {
      for (glt::local_id d = 0; d < 9; ++d) {
        CHECK(edges.contains({s, d}) == seen.contains({s, d}));
      }
    }
    REQUIRE(edges.distinct().size() == seen.size());
    auto edge = edges.distinct().begin();
    for (auto const& [pair, count] : seen) {
      CHECK(*edge++ == glt::vertex_pair<glt::local_id>{pair.first, pair.second});
    }
  }
}

TEST_CASE("lists that are no edges of the graph are refused by the first fault") {
  std::vector<glt::local_id> const two{0, 4};
  std::vector<glt::local_id> const negative{3, -1};
  std::vector<glt::local_id> const three{1, 2, 3};
  auto const refused = [](ids sources, ids destinations, std::int64_t vertices) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { glt::validate_seed_edges(sources, destinations, vertices); });
  };
  glt::validate_seed_edges(ids(two), ids(two), 5);
  glt::validate_seed_edges(ids(), ids(), 0);
  CHECK(glt_test::names(refused(two, three, 5), "2 sources", "3 destinations"));
  CHECK(glt_test::names(refused(two, two, 4), "source of seed edge 1 is 4", "[0, 4)"));
  CHECK(glt_test::names(refused(two, negative, 5), "destination of seed edge 1 is -1", "[0, 5)"));
}
