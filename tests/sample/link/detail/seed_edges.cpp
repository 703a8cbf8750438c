// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/seed_edges.hpp>

#include <glt/core/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace {

using glt::negative_mode;
using ids = glt::host_view<glt::local_id const>;

} // namespace

TEST_CASE("edges are counted, found and listed once, in batches of any size") {
  glt::detail::seed_edges<glt::device::cpu, glt::local_id> edges; // reused: nothing of the last batch may shine through
  for (std::uint64_t const size : {300, 0, 1, 17, 64, 65, 1}) {
    std::vector<glt::local_id> sources;
    std::vector<glt::local_id> destinations;
    glt::random_stream draws(glt::random_key(1), size);
    for (std::uint64_t i = 0; i < size; ++i) {
      sources.push_back(static_cast<glt::local_id>(draws.below(9)));
      destinations.push_back(static_cast<glt::local_id>(draws.below(9)));
    }
    std::vector<std::int64_t> offsets;
    auto of_batch = sources;
    if (size % 2 == 1) { // every second source has no edge, and the others have three
      offsets.push_back(0);
      of_batch.clear();
      for (std::size_t i = 0; i < size; ++i) {
        if (i % 3 == 0) {
          of_batch.insert(of_batch.end(), 2, sources[i]);
          offsets.insert(offsets.end(), 2, static_cast<std::int64_t>(std::min<std::size_t>(i + 3, size)));
          offsets[offsets.size() - 2] = static_cast<std::int64_t>(i);
        }
        sources[i] = of_batch.back();
      }
    }
    edges.assign({of_batch, offsets}, ids(destinations));
    CHECK(edges.view().num_groups(negative_mode::binary) == edges.size());
    CHECK(edges.view().num_groups(negative_mode::triplet) == std::ssize(of_batch));
    for (std::int64_t s = 0; s < std::ssize(of_batch); ++s) {
      bool const bare = !offsets.empty() && s % 2 == 0;
      CHECK(edges.view().first_of(s, negative_mode::triplet) == (bare ? -1 : offsets.empty() ? s : s / 2 * 3));
    }
    std::map<std::pair<int, int>, std::int64_t> seen;
    REQUIRE(edges.size() == static_cast<std::int64_t>(size));
    for (std::size_t i = 0; i < size; ++i) {
      auto const at = static_cast<std::int64_t>(i);
      CHECK(edges.view().sources[edges.view().source_of(at)] == sources[i]);
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
