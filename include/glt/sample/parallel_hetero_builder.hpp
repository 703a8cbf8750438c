// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/narrow.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/draw.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/known_sizes.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/parallel_hetero_batch.hpp>
#include <glt/sample/parallel_numbering.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace glt {

/// `hetero_builder` for policies whose work is enqueued: the same subgraphs. Sizes stay in memory of the policy, and
/// the host works with upper bounds.
///
/// A batch is `begin`, hops, and `finish`. A hop is, per edge type in ascending order, `skip_relation` or
/// `add_relation` with what was drawn for `current_frontier()`, whose size is read from the policy's memory; or
/// `count_relation`, `make_room` and `number_sources`, which read nothing; then `end_hop`.
template <device_policy Policy, vertex_id Vertex>
class parallel_hetero_builder {
  static constexpr memory_space space = Policy::space;
  using ids = array_view<space, Vertex const>;

public:
  explicit parallel_hetero_builder(Policy policy = {}) : policy_(policy), sizes_(policy) {}

  /// Starts a batch in `out`, which must live until `finish`, and the seeds too.
  ///
  /// @shape  seeds [node types], one list of ids each
  /// @where  enqueues only
  /// @pre    seeds has one list per node type, of vertices of that type; not checked
  /// @throws precondition_error  if the number of seeds of a type, or of all types of a disjoint batch, does not fit
  ///                             31 bits
  /// @cost   O(S)
  void begin(hetero_schema const& schema, std::span<ids const> seeds, hetero_options const& options,
             hetero_subgraph<Policy, Vertex>& out) {
    out_ = &out;
    fresh_ = options.expand == frontier::fresh;
    disjoint_ = options.disjoint;
    settled_ = false;
    take_empty(schema);
    out.expand_ = options.expand;
    out.num_hops_ = 0;
    types_.assign(seeds.size(), {});
    relations_.assign(static_cast<std::size_t>(schema.num_edge_types()), {});
    node_sizes_.clear();
    edge_sizes_.clear();
    auto const hops = static_cast<std::int64_t>(num_hops(options));
    sizes_.clear(schema.num_node_types() + 3 * schema.num_edge_types() * hops);
    for (std::size_t e = 0; e < relations_.size(); ++e) {
      auto& edges = out.relations_[e];
      edges.offsets.resize(1);
      policy_.executor().for_each(1, detail::set_to_zero<space, edge_offset>{edges.offsets.view()});
      edges.row.clear();
      edges.col.clear();
      edges.edge_ids.clear();
      relations_[e].source = static_cast<std::size_t>(edges.source_type = schema.source_type(static_cast<int>(e)));
      relations_[e].destination =
          static_cast<std::size_t>(edges.destination_type = schema.destination_type(static_cast<int>(e)));
    }
    std::int64_t trees = 0;
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      auto const vertices = schema.num_vertices(static_cast<int>(t));
      if (disjoint_) {
        static_cast<void>(narrow<local_id>(trees + seeds[t].size(), "number of seeds of a disjoint batch"));
        number_seeds<true>(t, seeds[t], trees, vertices);
        trees += seeds[t].size();
      } else {
        number_seeds<false>(t, seeds[t], 0, vertices);
      }
      node_sizes_.push_back(types_[t].end);
    }
  }

  /// The vertices of a type to expand in this hop, without duplicates in a tree; valid until the first edges of the
  /// hop are added.
  ///
  /// @pre    node_type is one of the schema, and nothing was added in this hop yet; not checked
  /// @cost   waits for the sizes of all types, once a hop
  [[nodiscard]] ids current_frontier(int node_type) {
    settle();
    auto const t = static_cast<std::size_t>(node_type);
    return nodes(node_type).subview(types_[t].first, types_[t].frontier_bound);
  }
  /// The trees of `current_frontier()`; empty if the batch is not disjoint.
  [[nodiscard]] array_view<space, local_id const> current_trees(int node_type) {
    settle();
    auto const t = static_cast<std::size_t>(node_type);
    return disjoint_ ? trees(node_type).subview(types_[t].first, types_[t].frontier_bound) : trees(node_type);
  }

  /// Appends the draws over one edge type for the frontier of its destination type.
  ///
  /// @pre    edge_type is one of the schema and has no draws in this hop yet; not checked
  /// @throws precondition_error  if there is not one row per frontier vertex
  void add_relation(int edge_type, hop_sample<Policy, Vertex> const& hop) {
    settle();
    auto const& type = types_[relations_[static_cast<std::size_t>(edge_type)].destination];
    if (hop.offsets.size() != type.frontier_bound + 1) {
      throw precondition_error(detail::message("hop of ", hop.offsets.size(), " offsets over edge type ", edge_type,
                                               " for a frontier of ", type.frontier_bound,
                                               " vertices; give one offset more than vertices"));
    }
    count_relation(edge_type, hop.offsets.view());
    policy_.executor().for_each(type.frontier_bound,
                                make_room(edge_type, hop.sources.size(), !hop.edge_ids.empty()));
    if (!hop.edge_ids.empty()) {
      auto const before = relations_[static_cast<std::size_t>(edge_type)].edges_bound;
      policy_.resource().copy(edge_ids(edge_type).data() + before, hop.edge_ids.data(),
                              static_cast<std::size_t>(hop.edge_ids.size()) * sizeof(edge_id));
    }
    number_sources(edge_type, hop.sources.view());
  }

  /// Records a hop that draws nothing over one edge type.
  ///
  /// @where  enqueues only
  void skip_relation(int edge_type) {
    auto const& type = types_[relations_[static_cast<std::size_t>(edge_type)].destination];
    if (type.frontier_bound > 0) {
      count_relation(edge_type, {});
      policy_.executor().for_each(type.frontier_bound, make_room(edge_type, 0, false));
    }
  }

  /// The vertices of a type so far and their trees, and room behind them that means nothing.
  [[nodiscard]] ids nodes(int node_type) const noexcept {
    return std::as_const(out_->vertices_[static_cast<std::size_t>(node_type)].nodes).view();
  }
  [[nodiscard]] array_view<space, local_id const> trees(int node_type) const noexcept {
    return std::as_const(out_->vertices_[static_cast<std::size_t>(node_type)].batch).view();
  }
  /// The edge ids of the batch, with room for those of the hop behind the edges of the hops before.
  [[nodiscard]] array_view<space, edge_id> edge_ids(int edge_type) noexcept {
    return out_->relations_[static_cast<std::size_t>(edge_type)].edge_ids.view();
  }

  /// Which vertices of a type are expanded in this hop, for kernels; the host knows that they are not more than
  /// `frontier_bound()`.
  [[nodiscard]] detail::typed_frontier<space> frontier_of(int node_type) const noexcept {
    auto const& type = types_[static_cast<std::size_t>(node_type)];
    return {sizes_[type.begin], sizes_[type.end]};
  }
  [[nodiscard]] std::int64_t frontier_bound(int node_type) const noexcept {
    return types_[static_cast<std::size_t>(node_type)].frontier_bound;
  }

  /// Takes the offsets of the edges that the vertices of the frontier get over one edge type; they must live until
  /// `number_sources`. Without offsets there are no edges.
  ///
  /// @shape  offsets [frontier_bound() + 1], from 0, no edges behind the frontier; or empty
  /// @where  enqueues only
  void count_relation(int edge_type, array_view<space, edge_offset const> offsets) {
    auto& relation = relations_[static_cast<std::size_t>(edge_type)];
    relation.drawn = offsets;
    relation.edges_after = sizes_.add();
    relation.expanded_after = sizes_.add();
    policy_.executor().for_each(
        1, detail::end_of_relation<space>{place_of(relation), offsets, sizes_.place(relation.edges_after),
                                          sizes_.place(relation.expanded_after)});
  }

  /// Reads the sizes of the hop: from now on the host knows those of all types before it.
  ///
  /// @pre    no sources were numbered in this hop; not checked
  /// @cost   waits for them, in one copy
  void read_hop() {
    sizes_.read();
    for (std::size_t t = 0; t < types_.size(); ++t) {
      auto& type = types_[t];
      numberings_[t].tighten(sizes_.value(type.end));
      type.first = sizes_.value(type.begin);
      type.frontier_bound = sizes_.value(type.end) - type.first;
    }
    for (auto& relation : relations_) {
      relation.edges_bound = sizes_.value(relation.edges);
      relation.expanded_bound = sizes_.value(relation.expanded);
    }
    settled_ = true;
  }
  /// The number of edges of a relation that was counted before `read_hop`.
  [[nodiscard]] std::int64_t num_edges_read(int edge_type) const noexcept {
    auto const& relation = relations_[static_cast<std::size_t>(edge_type)];
    return sizes_.value(relation.edges_after) - sizes_.value(relation.edges);
  }

  /// Makes room for the edges of a relation that was counted, at most `num_edges`; the functor is to be called for
  /// every i in [0, frontier_bound()).
  ///
  /// @where  enqueues only
  [[nodiscard]] detail::put_typed_destinations<space> make_room(int edge_type, std::int64_t num_edges, bool edge_ids) {
    auto& relation = relations_[static_cast<std::size_t>(edge_type)];
    auto& edges = out_->relations_[static_cast<std::size_t>(edge_type)];
    edges.row.resize(relation.edges_bound + num_edges);
    edges.col.resize(relation.edges_bound + num_edges);
    if (edge_ids) {
      edges.edge_ids.resize(relation.edges_bound + num_edges);
    }
    edges.offsets.resize(relation.expanded_bound + types_[relation.destination].frontier_bound + 1);
    return {place_of(relation), relation.drawn, edges.col.view(), edges.offsets.view()};
  }

  /// Renumbers the sources of a relation.
  ///
  /// @shape  sources [num_edges] of `make_room`
  /// @where  enqueues only
  /// @throws precondition_error  as `parallel_numbering::number_all`
  void number_sources(int edge_type, ids sources) {
    disjoint_ ? renumber<true>(static_cast<std::size_t>(edge_type), sources)
              : renumber<false>(static_cast<std::size_t>(edge_type), sources);
  }

  /// Ends a hop.
  void end_hop() {
    for (auto& relation : relations_) {
      edge_sizes_.push_back(relation.edges);
      edge_sizes_.push_back(relation.edges_after < 0 ? relation.edges : relation.edges_after);
      if (relation.edges_after >= 0) {
        relation.edges = relation.edges_after;
        relation.expanded = relation.expanded_after;
        relation.expanded_bound += types_[relation.destination].frontier_bound;
        relation.edges_bound += relation.hop_bound;
      }
      relation.edges_after = -1;
      relation.hop_bound = 0;
    }
    for (std::size_t t = 0; t < types_.size(); ++t) {
      auto& type = types_[t];
      type.begin = fresh_ ? type.end : 0;
      type.end = type.now;
      type.frontier_bound = fresh_ ? std::min(type.arrived_bound, numberings_[t].bound()) : numberings_[t].bound();
      type.arrived_bound = 0;
      node_sizes_.push_back(type.end);
    }
    settled_ = false;
    ++out_->num_hops_;
  }

  /// Fills in the sizes of the batch, which is complete then.
  ///
  /// @cost   waits for all that was enqueued
  void finish() {
    sizes_.read();
    auto const hops = static_cast<std::size_t>(out_->num_hops_);
    for (std::size_t t = 0; t < types_.size(); ++t) {
      auto& vertices = out_->vertices_[t];
      vertices.num_sampled.clear();
      for (std::size_t hop = 0; hop <= hops; ++hop) {
        auto const before = hop == 0 ? 0 : sizes_.value(node_sizes_[(hop - 1) * types_.size() + t]);
        vertices.num_sampled.push_back(sizes_.value(node_sizes_[hop * types_.size() + t]) - before);
      }
      vertices.nodes.resize(sizes_.value(types_[t].now));
      vertices.batch.resize(disjoint_ ? vertices.nodes.size() : 0);
    }
    for (std::size_t e = 0; e < relations_.size(); ++e) {
      auto& edges = out_->relations_[e];
      edges.num_sampled.clear();
      for (std::size_t hop = 0; hop < hops; ++hop) {
        auto const* const numbers = edge_sizes_.data() + 2 * (hop * relations_.size() + e);
        edges.num_sampled.push_back(sizes_.value(numbers[1]) - sizes_.value(numbers[0]));
      }
      auto const num_edges = sizes_.value(relations_[e].edges);
      edges.row.resize(num_edges);
      edges.col.resize(num_edges);
      edges.edge_ids.resize(edges.edge_ids.empty() ? 0 : num_edges);
      edges.offsets.resize(sizes_.value(relations_[e].expanded) + 1);
    }
  }

private:
  // Sizes are named by their numbers in sizes_.
  struct type_state {
    std::int64_t begin = 0; ///< of the frontier in nodes
    std::int64_t end = 0;
    std::int64_t now = 0; ///< vertices so far
    std::int64_t first = 0; ///< the value of `begin`, if settled
    std::int64_t frontier_bound = 0;
    std::int64_t arrived_bound = 0; ///< vertices that may be new in this hop
  };
  struct relation_state {
    std::size_t source = 0;
    std::size_t destination = 0;
    std::int64_t edges = 0;
    std::int64_t expanded = 0;
    std::int64_t edges_after = -1; ///< of the hop, if it counted something
    std::int64_t expanded_after = -1;
    std::int64_t edges_bound = 0;
    std::int64_t expanded_bound = 0;
    std::int64_t hop_bound = 0;
    array_view<space, edge_offset const> drawn; ///< offsets of the hop
  };

  [[nodiscard]] detail::relation_place<space> place_of(relation_state const& relation) const noexcept {
    auto const& type = types_[relation.destination];
    return {{sizes_[type.begin], sizes_[type.end]}, sizes_[relation.edges], sizes_[relation.expanded]};
  }

  void take_empty(hetero_schema const& schema) {
    out_->vertices_.resize(static_cast<std::size_t>(schema.num_node_types()));
    out_->relations_.resize(static_cast<std::size_t>(schema.num_edge_types()));
    for (auto& vertices : out_->vertices_) {
      detail::take_from(policy_, vertices.nodes);
      detail::take_from(policy_, vertices.seed_index);
      detail::take_from(policy_, vertices.batch);
    }
    for (auto& edges : out_->relations_) {
      detail::take_from(policy_, edges.offsets);
      detail::take_from(policy_, edges.row);
      detail::take_from(policy_, edges.col);
      detail::take_from(policy_, edges.edge_ids);
    }
    while (numberings_.size() < out_->vertices_.size()) {
      numberings_.emplace_back(policy_);
    }
  }

  template <bool Disjoint>
  void number_seeds(std::size_t t, ids seeds, std::int64_t first_tree, std::int64_t num_vertices) {
    auto& vertices = out_->vertices_[t];
    auto& type = types_[t];
    vertices.nodes.resize(seeds.size());
    vertices.batch.resize(Disjoint ? seeds.size() : 0);
    vertices.seed_index.resize(seeds.size());
    numberings_[t].clear(seeds.size(), Disjoint ? std::int64_t{std::numeric_limits<local_id>::max()}
                                                : std::min<std::int64_t>(num_vertices,
                                                                         std::numeric_limits<local_id>::max()));
    type.end = type.now = sizes_.add();
    if (!seeds.empty()) {
      numberings_[t].number_all({.bound = seeds.size()}, sizes_[0].place, sizes_.place(type.end),
                                detail::typed_seed_occurrences<space, Vertex, Disjoint>{
                                    seeds, first_tree, vertices.seed_index.view(), vertices.nodes.view(),
                                    vertices.batch.view()});
    }
    type.frontier_bound = numberings_[t].bound();
  }

  template <bool Disjoint>
  void renumber(std::size_t e, ids sources) {
    auto& relation = relations_[e];
    auto const source = relation.source;
    auto& vertices = out_->vertices_[source];
    auto& edges = out_->relations_[e];
    auto& numbering = numberings_[source];
    relation.hop_bound = sources.size();
    if (sources.empty()) {
      return;
    }
    types_[source].arrived_bound += sources.size();
    auto const room = numbering.bound_after(sources.size());
    vertices.nodes.resize(room);
    vertices.batch.resize(Disjoint ? room : 0);
    auto const after = sizes_.add();
    numbering.number_all({.bound = sources.size(), .exact = relation.drawn.subview(relation.drawn.size() - 1, 1)},
                         sizes_[types_[source].now].place, sizes_.place(after),
                         detail::typed_source_occurrences<space, Vertex, Disjoint>{
                             sources, sizes_[relation.edges], edges.row.view(), std::as_const(edges.col).view(),
                             std::as_const(out_->vertices_[relation.destination].batch).view(), vertices.nodes.view(),
                             vertices.batch.view()});
    types_[source].now = after;
  }

  void settle() {
    if (!settled_) {
      read_hop();
    }
  }

  Policy policy_;
  hetero_subgraph<Policy, Vertex>* out_ = nullptr;
  bool fresh_ = true;
  bool disjoint_ = false;
  bool settled_ = false; // the bounds of what was before the hop are exact
  detail::known_sizes<Policy> sizes_;
  std::vector<parallel_numbering<Policy>> numberings_; // by node type
  std::vector<type_state> types_;
  std::vector<relation_state> relations_;
  std::vector<std::int64_t> node_sizes_; // of the vertices of all types, after the seeds and after every hop
  std::vector<std::int64_t> edge_sizes_; // of the edges of all types, before and after every hop
};

} // namespace glt
