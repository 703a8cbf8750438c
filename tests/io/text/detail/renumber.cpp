// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/io/text/edge_list.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

using namespace glt;

TEST_CASE("vertices are numbered in ascending order without gaps") {
  random_stream draws(random_key(4), 0);
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{3000}}) {
    std::vector<global_id> sources;
    std::vector<global_id> destinations;
    for (std::size_t i = 0; i < count; ++i) {
      sources.push_back(static_cast<global_id>(draws.below(500) << draws.below(54)));
      destinations.push_back(i % 7 == 0 ? sources.back() : static_cast<global_id>(draws.below(500) << draws.below(54)));
    }
    auto const old_sources = sources;
    auto const old_destinations = destinations;
    std::set<global_id> expected(sources.begin(), sources.end());
    expected.insert(destinations.begin(), destinations.end());
    auto const original = io::detail::renumber(sources, destinations);
    CHECK(original == std::vector<global_id>(expected.begin(), expected.end()));
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(original[static_cast<std::size_t>(sources[i])] == old_sources[i]);
      REQUIRE(original[static_cast<std::size_t>(destinations[i])] == old_destinations[i]);
    }
  }
}
