// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/options.hpp>

#include "graphs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace glt_test {

/// The probability that a batch touches each vertex, by products of floating-point numbers over the edges.
inline std::vector<double> naive_hotness(edge_list const& graph, std::vector<std::int64_t> const& seeds,
                                         glt::neighbor_options const& options, std::int64_t batch_size) {
  auto const vertices = static_cast<std::size_t>(graph.num_vertices);
  auto const rows = naive_rows(graph);
  std::vector<double> missed(vertices, 1);
  std::vector<std::int64_t> times(vertices, 0);
  auto const num_seeds = static_cast<std::int64_t>(seeds.size());
  for (auto const seed : seeds) {
    // One place of the list after the other stays out of the batch.
    auto& before = times[static_cast<std::size_t>(seed)];
    auto const others = static_cast<double>(std::max<std::int64_t>(0, num_seeds - batch_size - before));
    missed[static_cast<std::size_t>(seed)] *= others / static_cast<double>(num_seeds - before);
    ++before;
  }
  std::vector<double> frontier;
  for (auto const m : missed) {
    frontier.push_back(1 - m);
  }
  for (auto const fanout : options.fanouts) {
    std::vector<double> not_drawn(vertices, 1);
    for (std::size_t e = 0; e < graph.sources.size(); ++e) {
      auto const destination = static_cast<std::size_t>(graph.destinations[e]);
      auto const degree = static_cast<double>(rows[destination].size());
      auto const draws = static_cast<double>(fanout);
      double rate = fanout < 0 || degree <= draws ? 1 : draws / degree;
      if (options.replace) {
        rate = 1 - std::pow(1 - 1 / degree, draws);
      }
      not_drawn[static_cast<std::size_t>(graph.sources[e])] *= 1 - frontier[destination] * rate;
    }
    for (std::size_t v = 0; v < vertices; ++v) {
      frontier[v] = missed[v] * (1 - not_drawn[v]);
      missed[v] *= not_drawn[v];
      if (options.expand == glt::frontier::all) {
        frontier[v] = 1 - missed[v];
      }
    }
  }
  for (auto& m : missed) {
    m = 1 - m;
  }
  return missed;
}

/// The rank of every value, equal ones sharing their mean rank.
inline std::vector<double> ranks_of(std::vector<double> const& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) {
      ++last;
    }
    for (std::size_t i = first; i < last; ++i) {
      ranks[order[i]] = static_cast<double>(first + last - 1) / 2;
    }
  }
  return ranks;
}

/// Spearman's rank correlation.
inline double rank_correlation(std::vector<double> const& a, std::vector<double> const& b) {
  auto const x = ranks_of(a);
  auto const y = ranks_of(b);
  double const mean = (static_cast<double>(a.size()) - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

} // namespace glt_test
