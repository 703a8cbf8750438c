// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/sample/detail/pick/pick.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include "hetero_graphs.hpp"
#include "naive_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

namespace glt_test {

/// What a sampler of a heterogeneous graph returns, in plain vectors; nodes are ids of the lists.
struct naive_hetero_subgraph {
  using lists = std::vector<std::vector<std::int64_t>>;

  lists nodes; ///< by node type, like the next three
  lists seed_index;
  lists batch;
  lists num_sampled_nodes;
  lists row; ///< by edge type, like the next three
  lists col;
  lists edge_ids;
  lists num_sampled_edges;

  bool operator==(naive_hetero_subgraph const&) const = default;
};

/// Samples from lists and maps, hop by hop; the oracle of every sampler of heterogeneous graphs.
///
/// `pick(key, vertex, row, fanout, edge_type, tree)` gives the positions that are drawn of a row.
template <class Pick>
naive_hetero_subgraph naive_hetero_sample(hetero_list const& graph, std::vector<std::vector<std::int64_t>> const& seeds,
                                          glt::hetero_options const& options, glt::sample_key key, Pick pick) {
  auto const& schema = graph.schema;
  auto const types = static_cast<std::size_t>(schema.num_node_types());
  auto const relations = static_cast<std::size_t>(schema.num_edge_types());
  naive_hetero_subgraph out;
  for (auto* list : {&out.nodes, &out.seed_index, &out.batch, &out.num_sampled_nodes}) {
    list->resize(types);
  }
  for (auto* list : {&out.row, &out.col, &out.edge_ids, &out.num_sampled_edges}) {
    list->resize(relations);
  }
  std::vector<std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>> position(types); // of (tree, vertex)
  std::vector<std::vector<std::int64_t>> trees(types);                                        // of nodes
  auto const number = [&](std::size_t type, std::int64_t tree, std::int64_t vertex) {
    auto& nodes = out.nodes[type];
    auto const [found, first_time] = position[type].try_emplace({tree, vertex}, std::ssize(nodes));
    if (first_time) {
      nodes.push_back(vertex);
      trees[type].push_back(tree);
    }
    return found->second;
  };
  std::vector<std::size_t> first(types, 0); // of the frontier
  std::int64_t tree = 0;
  for (std::size_t t = 0; t < types; ++t) {
    for (auto const seed : seeds[t]) {
      out.seed_index[t].push_back(number(t, tree, seed));
      tree += options.disjoint ? 1 : 0;
    }
    out.num_sampled_nodes[t].push_back(static_cast<std::int64_t>(out.nodes[t].size()));
  }
  auto const hops = relations == 0 ? 0 : options.fanouts[0].size();
  for (std::size_t hop = 0; hop < hops; ++hop) {
    std::vector<std::size_t> known;
    for (auto const& nodes : out.nodes) {
      known.push_back(nodes.size());
    }
    for (std::size_t e = 0; e < relations; ++e) {
      auto const edge_type = static_cast<int>(e);
      auto const source_type = static_cast<std::size_t>(schema.source_type(edge_type));
      auto const type = static_cast<std::size_t>(schema.destination_type(edge_type));
      auto const rows = naive_rows(graph, edge_type);
      auto const edges = out.row[e].size();
      for (std::size_t i = first[type]; i < known[type] && options.fanouts[e][hop] != 0; ++i) {
        auto const vertex = out.nodes[type][i];
        auto const& row = rows[static_cast<std::size_t>(vertex)];
        for (auto const at : pick(glt::detail::hop_key(key, static_cast<std::int64_t>(hop), edge_type), vertex, row,
                                  options.fanouts[e][hop], edge_type, trees[type][i])) {
          auto const [source, id] = row[static_cast<std::size_t>(at)];
          out.row[e].push_back(number(source_type, trees[type][i], source));
          out.col[e].push_back(static_cast<std::int64_t>(i));
          if (options.edge_ids) {
            out.edge_ids[e].push_back(id);
          }
        }
      }
      out.num_sampled_edges[e].push_back(static_cast<std::int64_t>(out.row[e].size() - edges));
    }
    for (std::size_t t = 0; t < types; ++t) {
      out.num_sampled_nodes[t].push_back(static_cast<std::int64_t>(out.nodes[t].size() - known[t]));
      first[t] = options.expand == glt::frontier::fresh ? known[t] : 0;
    }
  }
  if (options.disjoint) {
    out.batch = trees;
  }
  return out;
}

/// The same with uniform draws.
inline naive_hetero_subgraph naive_hetero_sample(hetero_list const& graph,
                                                 std::vector<std::vector<std::int64_t>> const& seeds,
                                                 glt::hetero_options const& options, glt::sample_key key) {
  return naive_hetero_sample(
      graph, seeds, options, key,
      [&](glt::random_key of_hop, std::int64_t vertex, std::vector<in_edge> const& row, std::int64_t fanout, int,
          std::int64_t) { return naive_pick(of_hop, vertex, std::ssize(row), fanout, options.replace); });
}

/// Takes the edges of a row from one on, round and round; where it begins differs from edge type to edge
/// type.
struct turning_rule {
  using query_type = glt::no_query;
  std::int64_t begin = 0;

  template <class Graph>
  GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, glt::no_query,
                                               glt::hop_options options, glt::random_key,
                                               std::uint64_t) const noexcept {
    return glt::detail::num_picked(graph.degree(row), options);
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, glt::no_query, glt::hop_options,
                                      glt::random_key, std::uint64_t, std::int64_t count,
                                      Position* out) const noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>((begin + i) % graph.degree(row));
    }
  }
  template <class Graph>
  void check(Graph const&, glt::hop_options options) const {
    if (options.fanout > 7) {
      throw glt::precondition_error("no more than 7 turns");
    }
  }
};

/// Takes the first edges of a row whose id is not above the limit of the seed.
struct limit_rule {
  using query_type = std::int64_t;

  template <class Graph>
  GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, std::int64_t limit,
                                               glt::hop_options options, glt::random_key,
                                               std::uint64_t) const noexcept {
    std::int64_t allowed = 0;
    for (auto e = graph.offset(row); e < graph.offset(row + 1); ++e) {
      allowed += graph.id_of_edge(e) <= limit ? 1 : 0;
    }
    return glt::detail::num_picked(allowed, options);
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, std::int64_t limit, glt::hop_options,
                                      glt::random_key, std::uint64_t, std::int64_t count,
                                      Position* out) const noexcept {
    for (std::int64_t position = 0, taken = 0; taken < count; ++position) {
      if (graph.id_of_edge(graph.offset(row) + position) <= limit) {
        out[taken++] = static_cast<Position>(position);
      }
    }
  }
};

/// Takes the whole row, whatever the fanout.
struct whole_row_rule {
  using query_type = glt::no_query;
  static constexpr bool may_exceed_fanout = true;

  template <class Graph>
  GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, glt::no_query, glt::hop_options,
                                               glt::random_key, std::uint64_t) const noexcept {
    return graph.degree(row);
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const&, std::int64_t, glt::no_query, glt::hop_options, glt::random_key,
                                      std::uint64_t, std::int64_t count, Position* out) const noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(i);
    }
  }
};

/// What `turning_rule`s that begin at their edge type pick, for `naive_hetero_sample`.
struct naive_turns {
  std::vector<std::int64_t> operator()(glt::random_key, std::int64_t, std::vector<in_edge> const& row,
                                       std::int64_t fanout, int edge_type, std::int64_t) const {
    std::vector<std::int64_t> picked;
    for (std::int64_t i = 0; i < std::ssize(row) && (fanout < 0 || i < fanout); ++i) {
      picked.push_back((edge_type + i) % std::ssize(row));
    }
    return picked;
  }
};

/// What `limit_rule` picks for seeds with these limits, for `naive_hetero_sample`.
struct naive_limits {
  std::vector<std::int64_t> limits;

  std::vector<std::int64_t> operator()(glt::random_key, std::int64_t, std::vector<in_edge> const& row,
                                       std::int64_t fanout, int, std::int64_t tree) const {
    std::vector<std::int64_t> picked;
    for (std::int64_t i = 0; i < std::ssize(row) && (fanout < 0 || std::ssize(picked) < fanout); ++i) {
      if (row[static_cast<std::size_t>(i)].second <= limits[static_cast<std::size_t>(tree)]) {
        picked.push_back(i);
      }
    }
    return picked;
  }
};

/// Limits for all seeds of a batch, some of which allow nothing and some everything.
inline std::vector<std::int64_t> limits_for(std::vector<std::vector<std::int64_t>> const& seeds,
                                            std::int64_t num_edges) {
  std::vector<std::int64_t> limits;
  for (auto const& of_type : seeds) {
    for (std::size_t i = 0; i < of_type.size(); ++i) {
      limits.push_back(std::ssize(limits) * num_edges / 8 - 1);
    }
  }
  return limits;
}

/// A sampled subgraph in plain vectors, its nodes mapped through `original` (by node type, by node id) if
/// that is given.
template <class Subgraph, class Original = std::vector<std::vector<std::int64_t>>>
naive_hetero_subgraph plain_hetero(Subgraph const& subgraph, Original const& original = {}) {
  auto const widen = [](auto const& view) { return std::vector<std::int64_t>(view.begin(), view.end()); };
  naive_hetero_subgraph out;
  for (int t = 0; t < subgraph.num_node_types(); ++t) {
    out.nodes.push_back(widen(subgraph.nodes(t)));
    out.seed_index.push_back(widen(subgraph.seed_index(t)));
    out.batch.push_back(widen(subgraph.batch(t)));
    out.num_sampled_nodes.push_back(widen(subgraph.num_sampled_nodes(t)));
    if (std::ranges::size(original) > 0) {
      for (auto& node : out.nodes.back()) {
        node = *(std::ranges::begin(original[static_cast<std::size_t>(t)]) + node);
      }
    }
  }
  for (int e = 0; e < subgraph.num_edge_types(); ++e) {
    out.row.push_back(widen(subgraph.row(e)));
    out.col.push_back(widen(subgraph.col(e)));
    out.edge_ids.push_back(widen(subgraph.edge_ids(e)));
    out.num_sampled_edges.push_back(widen(subgraph.num_sampled_edges(e)));
  }
  return out;
}

} // namespace glt_test
