// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/narrow.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/known_sizes.hpp>
#include <glt/sample/detail/batch/parallel_hetero_batch.hpp>
#include <glt/sample/detail/batch/parallel_hop_place.hpp>
#include <glt/sample/detail/batch/parallel_numbering.hpp>
#include <glt/sample/detail/batch/parallel_occurrences.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>

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
/// A batch is `begin`, hops, and `finish`. A hop is, per edge type in ascending order, `skip_relation`, or
/// `count_relation`, `make_room` and `number_sources`; then `end_hop`. Nothing of it reads a size; `read_hop`, when all
/// was counted, makes the bounds exact.
template <device_policy Policy, vertex_id Vertex>
class parallel_hetero_builder {
  static constexpr memory_space space = Policy::space;
  using ids = array_view<space, Vertex const>;

public:
  explicit parallel_hetero_builder(Policy policy = {}) : policy_(policy), batch_(policy) {}

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
    disjoint_ = options.disjoint;
    exact_ = false;
    out.expand_ = options.expand;
    out.num_hops_ = 0;
    batch_.begin(schema, static_cast<std::int64_t>(num_hops(options)), options.expand);
    clear();
    std::int64_t trees = 0;
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      auto const vertices = schema.num_vertices(static_cast<int>(t));
      if (disjoint_) {
        static_cast<void>(detail::narrow<local_id>(trees + seeds[t].size(), "number of seeds of a disjoint batch"));
        number_seeds<true>(t, seeds[t], trees, vertices);
        trees += seeds[t].size();
      } else {
        number_seeds<false>(t, seeds[t], 0, vertices);
      }
    }
  }

  /// Records a hop that draws nothing over one edge type.
  ///
  /// @where  enqueues only
  void skip_relation(int edge_type) {
    if (auto const num_rows = rows_bound(edge_type); num_rows > 0) {
      count_relation(edge_type, {});
      policy_.executor().for_each(num_rows, make_room(edge_type, 0, false));
    }
  }

  /// The vertices of a type to expand in this hop, without duplicates in a tree, and their trees, if the batch is
  /// disjoint; valid until its vertices are added to.
  ///
  /// @cost   waits for their number
  [[nodiscard]] ids current_frontier(int node_type) {
    settle();
    return nodes(node_type).subview(batch_.sizes().value(type(node_type).begin), frontier_bound(node_type));
  }
  [[nodiscard]] array_view<space, local_id const> current_trees(int node_type) {
    settle();
    return disjoint_ ? trees(node_type).subview(batch_.sizes().value(type(node_type).begin), frontier_bound(node_type))
                     : trees(node_type);
  }

  /// Appends the draws over one edge type for the frontier of its destination type.
  ///
  /// @pre    there is one row per frontier vertex, and the offsets go from 0 to the number of sources; not checked
  /// @cost   O(frontier + edges); waits if `current_frontier` was not called
  void add_relation(int edge_type, hop_sample<Policy, Vertex> const& hop) {
    settle();
    count_relation(edge_type, hop.offsets.view());
    policy_.executor().for_each(rows_bound(edge_type), make_room(edge_type, hop.sources.size(), !hop.edge_ids.empty()));
    if (!hop.edge_ids.empty()) {
      policy_.resource().copy(edge_ids(edge_type).data() + relation(edge_type).edges_bound, hop.edge_ids.data(),
                              static_cast<std::size_t>(hop.edge_ids.size()) * sizeof(edge_id));
    }
    number_sources(edge_type, hop.sources.view());
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
  [[nodiscard]] detail::known_frontier<space> frontier_of(int node_type) const noexcept {
    return batch_.frontier_of(static_cast<std::size_t>(node_type));
  }
  [[nodiscard]] std::int64_t frontier_bound(int node_type) const noexcept { return type(node_type).frontier_bound; }

  /// Takes the offsets of the edges that the vertices of the frontier get over one edge type; they must live until
  /// `number_sources`. Without offsets there are no edges.
  ///
  /// @shape  offsets [frontier_bound() + 1], from 0, no edges behind the frontier; or empty
  /// @where  enqueues only
  void count_relation(int edge_type, array_view<space, edge_offset const> offsets) {
    batch_.count(static_cast<std::size_t>(edge_type), offsets);
  }

  /// Reads the sizes of the hop: from now on the host knows those of all types before it, and the edges that were
  /// counted.
  ///
  /// @pre    no sources were numbered in this hop; not checked
  /// @cost   waits for them, in one copy
  void read_hop() {
    exact_ = true;
    batch_.read();
    for (std::size_t t = 0; t < batch_.num_types(); ++t) {
      numberings_[t].tighten(batch_.sizes().value(batch_.type(t).end));
    }
  }
  /// The number of edges of a relation that was counted before `read_hop`.
  [[nodiscard]] std::int64_t num_edges_read(int edge_type) noexcept {
    auto const& sizes = relation(edge_type);
    return batch_.sizes().value(sizes.edges_after) - batch_.sizes().value(sizes.edges);
  }

  /// Makes room for the edges of a relation that was counted, at most `num_edges`; the functor is to be called for
  /// every i in [0, frontier_bound()).
  ///
  /// @where  enqueues only
  [[nodiscard]] detail::put_destinations<space> make_room(int edge_type, std::int64_t num_edges, bool edge_ids) {
    auto const& sizes = relation(edge_type);
    auto& edges = out_->relations_[static_cast<std::size_t>(edge_type)];
    edges.resize(sizes.edges_bound + num_edges, sizes.expanded_bound + rows_bound(edge_type), edge_ids);
    return {batch_.place_of(static_cast<std::size_t>(edge_type)), sizes.drawn, edges.col.view(), edges.offsets.view()};
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
    exact_ = false;
    batch_.end_hop([&](std::size_t t) { return numberings_[t].bound(); });
    ++out_->num_hops_;
  }

  /// Fills in the sizes of the batch, which is complete then.
  ///
  /// @cost   waits for all that was enqueued
  void finish() {
    batch_.read();
    for (std::size_t t = 0; t < batch_.num_types(); ++t) {
      auto& vertices = out_->vertices_[t];
      batch_.num_sampled_nodes(t, vertices.num_sampled);
      vertices.resize(batch_.sizes().value(batch_.type(t).now), disjoint_);
    }
    for (std::size_t e = 0; e < batch_.num_relations(); ++e) {
      auto& edges = out_->relations_[e];
      batch_.num_sampled_edges(e, edges.num_sampled);
      edges.resize(batch_.relation(e).edges_bound, batch_.relation(e).expanded_bound, !edges.edge_ids.empty());
    }
  }

private:
  void settle() {
    if (!exact_) {
      read_hop();
    }
  }
  [[nodiscard]] auto const& type(int node_type) const noexcept {
    return batch_.type(static_cast<std::size_t>(node_type));
  }
  [[nodiscard]] auto const& relation(int edge_type) const noexcept {
    return batch_.relation(static_cast<std::size_t>(edge_type));
  }
  // The most vertices that a hop expands over an edge type.
  [[nodiscard]] std::int64_t rows_bound(int edge_type) const noexcept {
    return batch_.type(relation(edge_type).destination).frontier_bound;
  }

  void clear() {
    out_->vertices_.resize(batch_.num_types());
    out_->relations_.resize(batch_.num_relations());
    for (auto& vertices : out_->vertices_) {
      detail::take_from(policy_, vertices.nodes, vertices.seed_index, vertices.batch);
    }
    for (std::size_t e = 0; e < batch_.num_relations(); ++e) {
      auto& edges = out_->relations_[e];
      detail::take_from(policy_, edges.offsets, edges.row, edges.col, edges.edge_ids);
      edges.source_type = static_cast<int>(batch_.relation(e).source);
      edges.destination_type = static_cast<int>(batch_.relation(e).destination);
      edges.clear();
      policy_.executor().for_each(1, detail::set_to_zero<space, edge_offset>{edges.offsets.view()});
    }
    while (numberings_.size() < batch_.num_types()) {
      numberings_.emplace_back(policy_);
    }
  }

  template <bool Disjoint>
  void number_seeds(std::size_t t, ids seeds, std::int64_t first_tree, std::int64_t num_vertices) {
    static constexpr std::int64_t any_number = std::numeric_limits<local_id>::max();
    auto& vertices = out_->vertices_[t];
    vertices.resize(seeds.size(), Disjoint);
    vertices.seed_index.resize(seeds.size());
    numberings_[t].clear(seeds.size(), Disjoint ? any_number : std::min(num_vertices, any_number));
    auto const number = batch_.end_seeds(t);
    if (!seeds.empty()) {
      numberings_[t].number_all({.bound = seeds.size()}, batch_.sizes()[0].place, batch_.sizes().place(number),
                                detail::seed_occurrences<space, Vertex, Disjoint>{
                                    seeds, first_tree, vertices.seed_index.view(), vertices.nodes.view(),
                                    vertices.batch.view(), num_vertices, {}});
    }
    batch_.type(t).frontier_bound = numberings_[t].bound();
  }

  template <bool Disjoint>
  void renumber(std::size_t e, ids sources) {
    auto& relation = batch_.relation(e);
    auto& type = batch_.type(relation.source);
    auto& sizes = batch_.sizes();
    relation.hop_bound = sources.size();
    if (sources.empty()) {
      return;
    }
    type.arrived_bound += sources.size();
    auto& numbering = numberings_[relation.source];
    auto& vertices = out_->vertices_[relation.source];
    auto& edges = out_->relations_[e];
    vertices.resize(numbering.bound_after(sources.size()), Disjoint);
    auto const after = sizes.add();
    numbering.number_all({.bound = sources.size(), .exact = relation.drawn.subview(relation.drawn.size() - 1, 1)},
                         sizes[type.now].place, sizes.place(after),
                         detail::source_occurrences<space, Vertex, Disjoint>{
                             sources, sizes[relation.edges], edges.row.view(), std::as_const(edges.col).view(),
                             std::as_const(out_->vertices_[relation.destination].batch).view(), vertices.nodes.view(),
                             vertices.batch.view()});
    type.now = after;
  }

  Policy policy_;
  hetero_subgraph<Policy, Vertex>* out_ = nullptr;
  bool disjoint_ = false;
  bool exact_ = false; // the host knows the frontiers
  detail::parallel_hetero_batch<Policy> batch_;
  std::vector<parallel_numbering<Policy>> numberings_; // by node type
};

} // namespace glt
