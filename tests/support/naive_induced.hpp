// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/induced_subgraph.hpp>

#include "naive_sampler.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace glt_test {

/// All edges between the vertices within some hops of the seeds, or that fanouts reach, by the definition; the oracle of
/// induced subgraphs. The edges of hop h are those into the vertices first seen in hop h − 1.
inline naive_subgraph naive_induced(edge_list const& graph, std::vector<std::int64_t> const& seeds,
                                    glt::induced_options const& options, glt::sample_key key = {}) {
  auto const rows = naive_rows(graph);
  naive_subgraph out;
  std::map<std::int64_t, std::int64_t> position;
  auto const number = [&](std::int64_t vertex) {
    auto const [found, first_time] = position.try_emplace(vertex, static_cast<std::int64_t>(out.nodes.size()));
    if (first_time) {
      out.nodes.push_back(vertex);
    }
    return found->second;
  };
  if (!options.fanouts.empty()) {
    out = naive_sample(graph, seeds, {.fanouts = options.fanouts}, key);
    out.row.clear();
    out.col.clear();
    out.num_sampled_edges.clear();
    for (auto const node : std::exchange(out.nodes, {})) {
      number(node);
    }
  } else {
    for (auto const seed : seeds) {
      out.seed_index.push_back(number(seed));
    }
    out.num_sampled_nodes.push_back(static_cast<std::int64_t>(out.nodes.size()));
  }
  std::size_t first = 0;
  for (std::int64_t hop = 0; hop < options.num_hops; ++hop) {
    auto const known = out.nodes.size();
    for (; first < known; ++first) {
      for (auto const& edge : rows[static_cast<std::size_t>(out.nodes[first])]) {
        number(edge.first);
      }
    }
    out.num_sampled_nodes.push_back(static_cast<std::int64_t>(out.nodes.size() - known));
  }
  std::int64_t begin = 0;
  for (auto const nodes : out.num_sampled_nodes) {
    auto const before = out.row.size();
    for (auto col = begin; col < begin + nodes; ++col) {
      for (auto const& [source, id] : rows[static_cast<std::size_t>(out.nodes[static_cast<std::size_t>(col)])]) {
        if (position.contains(source)) {
          out.row.push_back(position[source]);
          out.col.push_back(col);
          if (options.edge_ids) {
            out.edge_ids.push_back(id);
          }
        }
      }
    }
    begin += nodes;
    out.num_sampled_edges.push_back(static_cast<std::int64_t>(out.row.size() - before));
  }
  out.num_sampled_nodes.push_back(0);
  return out;
}

} // namespace glt_test
