// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include "graphs.hpp"
#include "naive_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt_test {

/// The picks of a temporal rule from the times of a row, by the definition: the edges that are old enough,
/// the latest of them if asked for, and a draw from these.
inline std::vector<std::int64_t> naive_temporal_pick(std::vector<std::int64_t> const& times,
                                                     glt::temporal_strategy strategy, std::int64_t vertex,
                                                     std::int64_t time, glt::hop_options options, glt::random_key key) {
  std::vector<std::int64_t> candidates;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] <= time) {
      candidates.push_back(static_cast<std::int64_t>(i));
    }
  }
  while (strategy == glt::temporal_strategy::last && options.fanout >= 0 &&
         candidates.size() > static_cast<std::size_t>(options.fanout)) {
    candidates.erase(candidates.begin());
  }
  std::vector<std::int64_t> picked;
  for (auto const at :
       naive_pick(key, vertex, static_cast<std::int64_t>(candidates.size()), options.fanout, options.replace)) {
    picked.push_back(candidates[static_cast<std::size_t>(at)]);
  }
  return picked;
}

/// The rows of a list, stably sorted by the time of their edges.
inline naive_rows_type naive_timed_rows(edge_list const& list, std::vector<std::int64_t> const& times) {
  auto rows = naive_rows(list);
  for (auto& row : rows) {
    std::ranges::stable_sort(row, {}, [&](auto const& edge) { return times[static_cast<std::size_t>(edge.second)]; });
  }
  return rows;
}

/// Samples a tree for every seed and its time.
///
/// @shape  times [E], by position in the list · seeds, seed_times [S]
inline naive_subgraph naive_temporal_sample(edge_list const& list, std::vector<std::int64_t> const& times,
                                            glt::temporal_strategy strategy, std::vector<std::int64_t> const& seeds,
                                            std::vector<std::int64_t> const& seed_times,
                                            glt::neighbor_options const& options, glt::sample_key key) {
  auto const rows = naive_timed_rows(list, times);
  return naive_sample_by(rows, seeds, options, [&](std::int64_t hop, std::int64_t tree, std::int64_t vertex) {
    std::vector<std::int64_t> times_of_row;
    for (auto const& edge : rows[static_cast<std::size_t>(vertex)]) {
      times_of_row.push_back(times[static_cast<std::size_t>(edge.second)]);
    }
    glt::hop_options const draw{options.fanouts[static_cast<std::size_t>(hop)], options.replace};
    return naive_temporal_pick(times_of_row, strategy, vertex, seed_times[static_cast<std::size_t>(tree)], draw,
                               glt::detail::hop_key(key, hop));
  });
}

/// Samples a tree for every seed whose draws are those of its vertex, and others for every further occurrence of the seed.
inline naive_subgraph naive_independent_sample(edge_list const& list, std::vector<std::int64_t> const& seeds,
                                               glt::neighbor_options const& options, glt::sample_key key) {
  auto const rows = naive_rows(list);
  return naive_sample_by(rows, seeds, options, [&](std::int64_t hop, std::int64_t tree, std::int64_t vertex) {
    auto const occurrence = std::count(seeds.begin(), seeds.begin() + tree, seeds[static_cast<std::size_t>(tree)]);
    auto const usual = glt::detail::hop_key(key, hop);
    return naive_pick(occurrence == 0 ? usual : usual.fold(static_cast<std::uint64_t>(occurrence)), vertex,
                      std::ssize(rows[static_cast<std::size_t>(vertex)]),
                      options.fanouts[static_cast<std::size_t>(hop)], options.replace);
  });
}

/// The picks of a LABOR rule by the definition, in row order; with `named`, after `name_parallel_edges`.
inline std::vector<std::int64_t> naive_labor_pick(bool exact, std::vector<in_edge> const& row, std::int64_t fanout,
                                                  glt::random_key key, bool named = false) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> edges;
  for (auto at = row.begin(); at != row.end(); ++at) {
    auto name = at->first;
    auto const earlier = std::count_if(row.begin(), at, [&](auto const& edge) { return edge.first == at->first; });
    if (named && earlier > 0) {
      name = static_cast<glt::global_id>(
          glt::random_key(static_cast<std::uint64_t>(name)).fold(static_cast<std::uint64_t>(earlier)).bits());
    }
    edges.emplace_back(glt::detail::labor_variate(key, name), at - row.begin());
  }
  auto const degree = static_cast<std::int64_t>(row.size());
  if (fanout >= 0 && degree > fanout) {
    std::ranges::sort(edges);
    auto const cut = exact ? edges.begin() + fanout : std::ranges::find_if(edges, [&](auto const& edge) {
      return std::ldexp(static_cast<double>(edge.first), -64) >=
             static_cast<double>(fanout) / static_cast<double>(degree);
    });
    edges.erase(cut, edges.end());
  }
  std::vector<std::int64_t> positions;
  for (auto const& edge : edges) {
    positions.push_back(edge.second);
  }
  std::ranges::sort(positions);
  return positions;
}

/// Samples by LABOR.
inline naive_subgraph naive_labor_sample(edge_list const& list, bool exact, std::vector<std::int64_t> const& seeds,
                                         glt::neighbor_options const& options, glt::sample_key key,
                                         bool named = false) {
  auto const rows = naive_rows(list);
  return naive_sample_by(rows, seeds, options, [&](std::int64_t hop, std::int64_t, std::int64_t vertex) {
    return naive_labor_pick(exact, rows[static_cast<std::size_t>(vertex)],
                            options.fanouts[static_cast<std::size_t>(hop)], glt::detail::hop_key(key, hop), named);
  });
}

} // namespace glt_test
