// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/detail/ordered_pieces.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/batch_builder.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/frontier_draws.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Queries of a frontier: every vertex inherits the query of its tree's seed; reusable.
template <device_policy Policy, class Rule>
class inherited_queries {
  using query_type = typename Rule::query_type;

public:
  explicit inherited_queries(Policy policy = {}) : policy_(policy), queries_(0, policy) {}

  /// @shape  of_seeds [S] · trees [frontier] → [frontier]; empty if the rule has no queries
  /// @cost   O(frontier)
  [[nodiscard]] array_view<Policy::space, query_type const> of(array_view<Policy::space, query_type const> of_seeds,
                                                               array_view<Policy::space, local_id const> trees) {
    if constexpr (has_query<Rule>) {
      queries_.resize(trees.size());
      policy_.executor().for_each(
          trees.size(), permute_elements<Policy::space, query_type, local_id>{of_seeds, trees, queries_.view()});
    }
    return queries_.view();
  }

private:
  Policy policy_;
  buffer<Policy, query_type> queries_;
};

/// Draws of a hop over one edge type.
template <memory_space GraphSpace, vertex_id Vertex, class Rule>
struct relation_draw {
  csr_view<GraphSpace, Vertex> graph;
  std::size_t destination_type;
  original_ids<GraphSpace> original;
  hop_options options;
  random_key key;
  Rule rule;
};

/// Drawer of hops on hosts, where sizes are known, relation by relation. Draws of some rows at a time stay in the
/// second-level cache until they are numbered. Numbering runs in order while other threads draw the next rows.
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace>
class host_hop_draws {
  static constexpr memory_space space = Policy::space;
  static constexpr std::int64_t rows_of_piece = 1024;

public:
  explicit host_hop_draws(Policy policy = {}, std::int64_t = 0) : queries_(policy) {}

  /// Draws over all edge types, but does not end the hop.
  ///
  /// @shape  relations [edge types] · queries of all seeds, type after type, or empty if the rule has none
  template <executor Executor>
  void run(Executor const& ex, hop_builder<Policy, Vertex>& batch,
           std::span<relation_draw<GraphSpace, Vertex, Rule> const> relations,
           array_view<space, typename Rule::query_type const> queries, bool edge_ids) {
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto const& relation = relations[e];
      auto const frontier = batch.current_frontier(relation.destination_type);
      if (relation.options.fanout == 0 || frontier.empty()) {
        batch.skip_relation(e);
        continue;
      }
      rows_.assign(frontier.begin(), frontier.end()); // a copy, because added vertices move it
      hop_request<space, Vertex, Rule, GraphSpace> const request{
          .rows = array_view<space, Vertex const>(rows_.data(), std::ssize(rows_)),
          .original = relation.original,
          .options = relation.options,
          .key = relation.key,
          .rule = relation.rule,
          .queries = queries_.of(queries, batch.current_trees(relation.destination_type))};
      pieces_.run(
          ex, std::ssize(rows_), rows_of_piece,
          [&](std::int64_t first, std::int64_t last, piece& drawn) {
            drawn.drawer.draw(exec::sequential{}, relation.graph, request.subrequest(first, last - first), edge_ids,
                              drawn.hop);
          },
          [&](std::int64_t first, piece const& drawn) {
            batch.add_rows(e, first, drawn.hop.offsets.view(), drawn.hop.sources.view(), drawn.hop.edge_ids.view());
          });
      batch.end_rows(e);
    }
  }

private:
  struct piece {
    hop_drawer<Policy> drawer;
    hop_sample<Policy, Vertex> hop;
  };

  inherited_queries<Policy, Rule> queries_;
  std::vector<Vertex> rows_;
  ordered_pieces<piece> pieces_;
};

/// Drawer of hops for policies that enqueue their work. Waits only once, for the sizes of a hop in which an edge type
/// takes all neighbours or may have many edges.
///
/// @cost   memory of the largest batch so far, by the upper bounds of its sizes
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace>
class enqueued_hop_draws {
  static constexpr memory_space space = Policy::space;
  using relation_type = relation_draw<GraphSpace, Vertex, Rule>;
  using request_type = frontier_request<csr_view<GraphSpace, Vertex>, Rule, space>;
  using queries_type = array_view<space, typename Rule::query_type const>;

public:
  /// @param most_unread  a hop that may have more edges of a type reads its sizes, which takes less time than work and
  ///                     memory for the upper bound; not negative, fits 31 bits
  enqueued_hop_draws(Policy policy, std::int64_t most_unread)
      : policy_(policy), most_unread_(most_unread), counts_(0, policy), sources_(0, policy) {}

  template <executor Executor>
  void run(Executor const&, hop_builder<Policy, Vertex>& batch, std::span<relation_type const> relations,
           queries_type queries, bool edge_ids) {
    bounds_.resize(relations.size());
    while (offsets_.size() < relations.size()) {
      offsets_.emplace_back(0, policy_);
    }
    bool many = false;
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto const rows = batch.frontier_bound(relations[e].destination_type);
      bounds_[e] = edges_bound<Rule>(rows, relations[e].options, most_unread_);
      many = many || bounds_[e] > most_unread_;
      if (bounds_[e] > 0) {
        count(e, rows, batch, relations[e], queries);
      }
    }
    if (many) {
      batch.read_hop();
    }
    for (std::size_t e = 0; e < relations.size(); ++e) {
      if (bounds_[e] > 0) {
        draw(e, many ? batch.num_edges_read(e) : bounds_[e], batch, relations[e], queries, edge_ids);
      } else {
        batch.skip_relation(e);
      }
    }
  }

private:
  static request_type request_of(hop_builder<Policy, Vertex> const& batch, relation_type const& relation,
                                 queries_type queries) {
    auto const type = relation.destination_type;
    return {.graph = relation.graph,
            .rule = relation.rule,
            .options = relation.options,
            .key = relation.key,
            .original = relation.original,
            .frontier = batch.frontier_of(type),
            .nodes = batch.nodes(type),
            .trees = batch.trees(type),
            .queries = queries};
  }

  void count(std::size_t e, std::int64_t rows, hop_builder<Policy, Vertex>& batch, relation_type const& relation,
             queries_type queries) {
    auto const ex = policy_.executor();
    offsets_[e].resize(rows + 1);
    auto const request = request_of(batch, relation, queries);
    if constexpr (counts_by_team<Rule, csr_view<GraphSpace, Vertex>>) {
      counts_.resize(rows);
      for_teams_by_size(ex, rows, count_frontier_by_team<request_type, space>{request, counts_.view()});
      ex.exclusive_scan(std::as_const(counts_).view(), offsets_[e].view());
    } else {
      ex.exclusive_scan(rows, count_frontier<request_type>{request}, offsets_[e].view());
    }
    batch.count_relation(e, std::as_const(offsets_[e]).view());
  }

  void draw(std::size_t e, std::int64_t num_edges, hop_builder<Policy, Vertex>& batch, relation_type const& relation,
            queries_type queries, bool edge_ids) {
    auto const ex = policy_.executor();
    auto const request = request_of(batch, relation, queries);
    auto const rows = batch.frontier_bound(relation.destination_type);
    auto const write = batch.make_room(e, num_edges, edge_ids);
    auto const ids = edge_ids ? batch.edge_ids(e) : array_view<space, edge_id>{};
    sources_.resize(num_edges);
    if (gives_all_in_order(relation.rule, relation.options)) { // the number of edges was read
      ex.for_each(rows, write_ends<space>{write});
      ex.for_each(num_edges, read_whole_rows<request_type, space>{request, write, sources_.view(), ids});
    } else {
      draw_rows<Rule, csr_view<GraphSpace, Vertex>>(
          ex, relation.options, rows, draw_frontier<request_type, space>{request, write, sources_.view(), ids});
    }
    batch.number_sources(e, std::as_const(sources_).view());
  }

  Policy policy_;
  std::int64_t most_unread_;
  std::vector<std::int64_t> bounds_;                 // of the edges that a hop draws, by edge type
  std::vector<buffer<Policy, edge_offset>> offsets_; // by edge type
  buffer<Policy, edge_offset> counts_;               // by rows, for rules that count by teams
  buffer<Policy, Vertex> sources_;
};

template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace>
using hop_draws = std::conditional_t<host_policy<Policy>, host_hop_draws<Policy, Vertex, Rule, GraphSpace>,
                                     enqueued_hop_draws<Policy, Vertex, Rule, GraphSpace>>;

/// Scratch memory of a sampler on one process, which samples one batch after the other; for one thread.
///
/// @cost   memory of the largest batch so far; if the policy is not a host policy, waits for the sizes at the end and
///         of each hop that takes all neighbours or may be large
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace = Policy::space>
class hop_worker {
  static constexpr memory_space space = Policy::space;

public:
  /// @param most_unread  see `enqueued_hop_draws`
  explicit hop_worker(Policy policy = {}, std::int64_t most_unread = std::int64_t{1} << 20)
      : most_unread_(most_unread), builder_(policy), draws_(policy, most_unread) {}

  /// Draws hop after hop; see `neighbor_sampler`.
  ///
  /// @shape  seeds [S] · queries [S], or empty if the rule has none
  /// @pre    the options are valid; not checked
  /// @throws precondition_error  after all draws, if a seed is not a row of the graph; `out` is then empty
  template <executor Executor>
  void sample(Executor const& ex, csr_view<GraphSpace, Vertex> graph, neighbor_options const& options, Rule const& rule,
              std::type_identity_t<original_ids<GraphSpace>> original, array_view<space, Vertex const> seeds,
              array_view<space, typename Rule::query_type const> queries, sample_key key,
              sampled_subgraph<Policy, Vertex>& out) {
    auto const expected = expected_nodes(seeds.size(), options);
    if (options.disjoint) {
      builder_.begin_disjoint(seeds, options.expand, out, graph.num_rows(), expected);
    } else {
      builder_.begin(seeds, options.expand, out, graph.num_rows(), expected);
    }
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      relation_draw<GraphSpace, Vertex, Rule> const relation{.graph = graph,
                                                             .destination_type = 0,
                                                             .original = original,
                                                             .options = hop_of(options, hop),
                                                             .key = hop_key(key, static_cast<std::int64_t>(hop)),
                                                             .rule = rule};
      draws_.run(ex, builder_.typed(), std::span(&relation, 1), queries, options.edge_ids);
      builder_.end_hop();
    }
    builder_.finish();
  }

private:
  // Returns the most vertices that are added before the sizes of a hop are read.
  [[nodiscard]] std::int64_t expected_nodes(std::int64_t num_seeds, neighbor_options const& options) const noexcept {
    std::int64_t nodes = num_seeds;
    std::int64_t expanded = num_seeds;
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      auto const edges = edges_bound<Rule>(expanded, hop_of(options, hop), most_unread_);
      if (edges > most_unread_) {
        break;
      }
      nodes += edges;
      expanded = options.expand == frontier::fresh ? edges : nodes;
    }
    return nodes;
  }

  std::int64_t most_unread_;
  subgraph_builder<Policy, Vertex> builder_;
  hop_draws<Policy, Vertex, Rule, GraphSpace> draws_;
};

} // namespace glt::detail
