// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/dist/full_batch/shard.hpp>

#include <algorithm>
#include <vector>

namespace glt::detail {

/// Chooses few sources of a shard that, with the destinations of all other edges, cover the edges. The choice is
/// greedy: next comes the vertex with the most edges that are not covered yet. A cover is never larger than all
/// sources, nor than all destinations.
///
/// The smallest cover can be found in O(E √V) (Kőnig's theorem; Hopcroft, Karp); a greedy one may be larger.
///
/// @shape  by_destination and by_source are the same edges; returns [by_destination.num_columns], 1 for chosen sources
/// @cost   O(E log V)
template <memory_space Space>
[[nodiscard]] std::vector<char> choose_sources(dist::shard_view<Space> const& by_destination,
                                               dist::shard_view<Space> const& by_source) {
  auto const num_destinations = by_destination.rows.size();
  auto const num_vertices = num_destinations + by_source.rows.size(); // destinations first
  auto const shard_of = [&](std::int64_t v) -> dist::shard_view<Space> const& {
    return v < num_destinations ? by_destination : by_source;
  };
  auto const place_of = [&](std::int64_t v) { return v < num_destinations ? v : v - num_destinations; };
  auto const offset = [&](std::int64_t v, std::int64_t end) { return shard_of(v).offsets[place_of(v) + end]; };
  auto const vertex_of = [](dist::shard_view<Space> const& shard, local_id row) {
    return std::lower_bound(shard.rows.data(), shard.rows.data() + shard.rows.size(), row) - shard.rows.data();
  };
  std::vector<edge_offset> uncovered(static_cast<std::size_t>(num_vertices));
  // vertices by the number of uncovered edges that they had when they were put here
  std::vector<std::vector<std::int64_t>> of_degree;
  auto const put = [&](std::int64_t v) {
    auto const degree = static_cast<std::size_t>(uncovered[static_cast<std::size_t>(v)]);
    of_degree.resize(std::max(of_degree.size(), degree + 1));
    of_degree[degree].push_back(v);
  };
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    uncovered[static_cast<std::size_t>(v)] = offset(v, 1) - offset(v, 0);
    put(v);
  }
  std::vector<char> is_taken(static_cast<std::size_t>(num_vertices), 0);
  std::int64_t taken = 0;
  for (auto degree = of_degree.size(); degree-- > 1;) {
    while (!of_degree[degree].empty()) {
      auto const v = of_degree[degree].back();
      of_degree[degree].pop_back();
      if (uncovered[static_cast<std::size_t>(v)] != static_cast<edge_offset>(degree)) {
        put(v); // it has fewer by now
        continue;
      }
      is_taken[static_cast<std::size_t>(v)] = 1;
      ++taken;
      bool const is_destination = v < num_destinations;
      auto const& others = is_destination ? by_source : by_destination;
      for (auto e = offset(v, 0); e < offset(v, 1); ++e) {
        auto const other = vertex_of(others, shard_of(v).columns[e]) + (is_destination ? num_destinations : 0);
        if (is_taken[static_cast<std::size_t>(other)] == 0) {
          --uncovered[static_cast<std::size_t>(other)];
        }
      }
    }
  }
  auto const num_sources = by_source.rows.size();
  bool const takes_all = num_sources <= std::min(taken, num_destinations);
  std::vector<char> chosen(static_cast<std::size_t>(by_destination.num_columns), 0);
  for (std::int64_t i = 0; i < num_sources && (takes_all || taken <= num_destinations); ++i) {
    chosen[static_cast<std::size_t>(by_source.rows[i])] =
        takes_all ? 1 : is_taken[static_cast<std::size_t>(num_destinations + i)];
  }
  return chosen;
}

} // namespace glt::detail
