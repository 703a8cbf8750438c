// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/sample/options.hpp>

#include "graphs.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace glt_test {

/// What a sampler returns, in plain vectors; nodes are ids of the edge list.
struct naive_subgraph {
  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> seed_index;
  std::vector<std::int64_t> row;
  std::vector<std::int64_t> col;
  std::vector<std::int64_t> edge_ids;
  std::vector<std::int64_t> num_sampled_nodes;
  std::vector<std::int64_t> num_sampled_edges;
  std::vector<std::int64_t> batch;

  bool operator==(naive_subgraph const&) const = default;
};

/// The positions that a row of `degree` edges gives, written down from the definition with sets.
inline std::vector<std::int64_t> naive_pick(glt::random_key key, std::int64_t vertex, std::int64_t degree,
                                            std::int64_t fanout, bool replace) {
  glt::random_stream draws(key, static_cast<std::uint64_t>(vertex));
  std::vector<std::int64_t> picked;
  if (degree == 0) {
    return picked;
  }
  if (fanout < 0 || (!replace && degree <= fanout)) {
    for (std::int64_t i = 0; i < degree; ++i) {
      picked.push_back(i);
    }
    return picked;
  }
  std::set<std::int64_t> taken;
  for (std::int64_t i = 0; i < fanout; ++i) {
    auto const last = degree - fanout + i;
    auto pick = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(replace ? degree : last + 1)));
    if (!replace && taken.contains(pick)) {
      pick = last;
    }
    taken.insert(pick);
    picked.push_back(pick);
  }
  return picked;
}

using naive_rows_type = std::vector<std::vector<in_edge>>;

/// Samples from lists and maps by any rule: `pick(hop, tree, vertex)` returns positions in rows[vertex]. The
/// tree is the place of a seed if the batch is disjoint, else 0.
template <class Pick>
naive_subgraph naive_sample_by(naive_rows_type const& rows, std::vector<std::int64_t> const& seeds,
                               glt::neighbor_options const& options, Pick pick) {
  naive_subgraph out;
  std::vector<std::int64_t> trees;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> position;
  auto const number = [&](std::int64_t tree, std::int64_t vertex) {
    auto const [found, first_time] = position.try_emplace({tree, vertex}, static_cast<std::int64_t>(out.nodes.size()));
    if (first_time) {
      out.nodes.push_back(vertex);
      trees.push_back(tree);
    }
    return found->second;
  };
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    out.seed_index.push_back(number(options.disjoint ? static_cast<std::int64_t>(i) : 0, seeds[i]));
  }
  out.num_sampled_nodes.push_back(static_cast<std::int64_t>(out.nodes.size()));
  std::size_t first = 0;
  for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
    auto const known = out.nodes.size();
    auto const edges = out.row.size();
    for (std::size_t i = first; i < known; ++i) {
      for (auto const at : pick(static_cast<std::int64_t>(hop), trees[i], out.nodes[i])) {
        auto const [source, id] = rows[static_cast<std::size_t>(out.nodes[i])][static_cast<std::size_t>(at)];
        out.row.push_back(number(trees[i], source));
        out.col.push_back(static_cast<std::int64_t>(i));
        if (options.edge_ids) {
          out.edge_ids.push_back(id);
        }
      }
    }
    out.num_sampled_nodes.push_back(static_cast<std::int64_t>(out.nodes.size() - known));
    out.num_sampled_edges.push_back(static_cast<std::int64_t>(out.row.size() - edges));
    first = options.expand == glt::frontier::fresh ? known : 0;
  }
  if (options.disjoint) {
    out.batch = trees;
  }
  return out;
}

/// Samples uniformly; the oracle of every neighbour sampler.
inline naive_subgraph naive_sample(edge_list const& graph, std::vector<std::int64_t> const& seeds,
                                   glt::neighbor_options const& options, glt::sample_key key) {
  auto const rows = naive_rows(graph);
  return naive_sample_by(rows, seeds, options, [&](std::int64_t hop, std::int64_t, std::int64_t vertex) {
    return naive_pick(glt::detail::hop_key(key, hop), vertex, std::ssize(rows[static_cast<std::size_t>(vertex)]),
                      options.fanouts[static_cast<std::size_t>(hop)], options.replace);
  });
}

/// A sampled subgraph in plain vectors, its nodes mapped through `original` (by node id) if that is given.
template <class Subgraph, class Original = std::vector<std::int64_t>>
naive_subgraph plain(Subgraph const& subgraph, Original const& original = {}) {
  auto const widen = [](auto const& view) { return std::vector<std::int64_t>(view.begin(), view.end()); };
  naive_subgraph out{widen(subgraph.nodes()),
                     widen(subgraph.seed_index()),
                     widen(subgraph.row()),
                     widen(subgraph.col()),
                     widen(subgraph.edge_ids()),
                     {},
                     {},
                     widen(subgraph.batch())};
  out.num_sampled_nodes.assign(subgraph.num_sampled_nodes().begin(), subgraph.num_sampled_nodes().end());
  out.num_sampled_edges.assign(subgraph.num_sampled_edges().begin(), subgraph.num_sampled_edges().end());
  if (std::ranges::size(original) > 0) {
    for (auto& node : out.nodes) {
      node = *(std::ranges::begin(original) + node);
    }
  }
  return out;
}

} // namespace glt_test
