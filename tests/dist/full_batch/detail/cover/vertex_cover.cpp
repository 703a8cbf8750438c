// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/cover/boundary_cover.hpp>

#include <glt/core/random.hpp>
#include <glt/dist/full_batch/detail/cover/boundary_cover.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace {

using edges_type = std::vector<std::pair<glt::local_id, glt::local_id>>; // of (destination, source)

// Rows that travel with the sources that are chosen: these, and the destinations of all other edges.
std::int64_t rows_sent(edges_type const& edges, std::vector<char> const& chosen) {
  std::set<glt::local_id> summed;
  for (auto const& [destination, source] : edges) {
    if (chosen[static_cast<std::size_t>(source)] == 0) {
      summed.insert(destination);
    }
  }
  return std::ranges::count(chosen, 1) + std::ssize(summed);
}

std::vector<char> choose(edges_type const& edges, std::int64_t num_destinations, std::int64_t num_sources) {
  constexpr auto host = glt::memory_space::host;
  std::vector<glt::detail::listed_edge> forward;
  std::vector<glt::detail::listed_edge> transposed;
  for (auto const& [destination, source] : edges) {
    forward.push_back({destination, source, 0});
    transposed.push_back({source, destination, 0});
  }
  glt::detail::listed_edges const by_destination(forward);
  glt::detail::listed_edges const by_source(transposed);
  return glt::detail::choose_sources(by_destination.view<host>(num_destinations, num_sources),
                                     by_source.view<host>(num_sources, num_destinations));
}

// The largest number of edges without a common end: no cover is smaller (Kőnig).
std::int64_t largest_matching(edges_type const& edges, std::int64_t num_destinations, std::int64_t num_sources) {
  std::vector<glt::local_id> partner(static_cast<std::size_t>(num_sources), -1);
  std::int64_t size = 0;
  for (glt::local_id first = 0; first < num_destinations; ++first) {
    std::set<glt::local_id> visited;
    std::function<bool(glt::local_id)> const find = [&](glt::local_id destination) {
      for (auto const& [d, source] : edges) {
        auto& other = partner[static_cast<std::size_t>(source)];
        if (d == destination && visited.insert(source).second && (other < 0 || find(other))) {
          other = destination;
          return true;
        }
      }
      return false;
    };
    size += find(first) ? 1 : 0;
  }
  return size;
}

} // namespace

TEST_CASE("the sources and destinations that are chosen are at least a matching and at most either side") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    glt::random_stream draws(glt::random_key(seed), 0);
    auto const num_destinations = static_cast<std::int64_t>(1 + draws.below(12));
    auto const num_sources = static_cast<std::int64_t>(1 + draws.below(12));
    auto const count = draws.below(30);
    edges_type edges;
    std::set<glt::local_id> destinations;
    std::set<glt::local_id> sources;
    for (std::uint64_t e = 0; e < count; ++e) {
      edges.emplace_back(static_cast<glt::local_id>(draws.below(static_cast<std::uint64_t>(num_destinations))),
                         static_cast<glt::local_id>(draws.below(static_cast<std::uint64_t>(num_sources))));
      destinations.insert(edges.back().first);
      sources.insert(edges.back().second);
    }
    auto const rows = rows_sent(edges, choose(edges, num_destinations, num_sources));
    CAPTURE(seed);
    CHECK(rows <= std::ssize(destinations));
    CHECK(rows <= std::ssize(sources));
    CHECK(rows >= largest_matching(edges, num_destinations, num_sources));
  }
}

TEST_CASE("two stars that point at each other are covered by their centres") {
  edges_type edges;
  for (glt::local_id leaf = 1; leaf < 20; ++leaf) {
    edges.emplace_back(0, leaf); // from many sources to one destination
    edges.emplace_back(leaf, 0); // and from one source to many destinations
  }
  auto const chosen = choose(edges, 20, 20);
  CHECK(rows_sent(edges, chosen) == 2);
  CHECK(chosen[0] == 1);
  CHECK(std::ranges::count(chosen, 1) == 1);
}
