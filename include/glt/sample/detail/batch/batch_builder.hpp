// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/batch_numbering.hpp>
#include <glt/sample/detail/batch/batch_sizes.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/numbering.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Seeds of a type as occurrences; in a disjoint batch every seed is a separate key.
template <memory_space Space, class Vertex, bool Disjoint>
struct seed_occurrences {
  array_view<Space, Vertex const> seeds;
  std::int64_t first_tree;
  array_view<Space, local_id> seed_index;
  array_view<Space, Vertex> nodes;
  array_view<Space, local_id> trees;
  std::int64_t num_vertices;
  array_view<Space, std::int64_t> bad_seed; ///< gets e − S for the first seed e that is not a vertex; empty: no check

  GLT_HOST_DEVICE auto key(std::int64_t e) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{static_cast<local_id>(first_tree + e), seeds[e]};
    } else {
      return seeds[e];
    }
  }
  GLT_HOST_DEVICE auto known(std::int64_t n) const { return key(n); } // there are no numbers before the seeds
  GLT_HOST_DEVICE void set(std::int64_t e, local_id number) const {
    seed_index[e] = number;
    if (!bad_seed.empty() && (seeds[e] < 0 || seeds[e] >= num_vertices)) {
      atomic_min(bad_seed.data(), e - seeds.size());
    }
  }
  GLT_HOST_DEVICE void add(std::int64_t e, local_id number) const {
    nodes[number] = seeds[e];
    if constexpr (Disjoint) {
      trees[number] = static_cast<local_id>(first_tree + e);
    }
  }
};

/// Sources of a hop over one edge type as occurrences; in a disjoint batch, in the tree of their destination.
template <memory_space Space, class Vertex, bool Disjoint>
struct source_occurrences {
  array_view<Space, Vertex const> sources;
  bounded_size<Space> edges; ///< of the edge type, before the hop
  array_view<Space, local_id> row;
  array_view<Space, local_id const> col;
  array_view<Space, local_id const> trees_of_destinations;
  array_view<Space, Vertex> nodes; ///< of the source type, like the trees
  array_view<Space, local_id> trees;

  GLT_HOST_DEVICE auto key(std::int64_t e) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{trees_of_destinations[col[edges() + e]], sources[e]};
    } else {
      return sources[e];
    }
  }
  GLT_HOST_DEVICE auto known(std::int64_t n) const {
    if constexpr (Disjoint) {
      return tree_vertex<Vertex>{trees[n], nodes[n]};
    } else {
      return nodes[n];
    }
  }
  GLT_HOST_DEVICE void set(std::int64_t e, local_id number) const { row[edges() + e] = number; }
  GLT_HOST_DEVICE void add(std::int64_t e, local_id number) const {
    nodes[number] = sources[e];
    if constexpr (Disjoint) {
      trees[number] = trees_of_destinations[col[edges() + e]];
    }
  }
};

/// Builder of a sample, hop by hop: makes room for draws, numbers the vertices of every type in first-seen order, and
/// keeps the frontiers.
///
/// A batch is `begin`, `set_relation` for every edge type, `set_seeds` for every node type, `end_seeds`, hops, and
/// `finish`. A hop has for each edge type, in ascending order, either `skip_relation`, or `count_relation`, `make_room`
/// and `number_sources`; then `end_hop`. These calls do not wait: sizes stay in memory of the policy, and the host
/// works with upper bounds. `read_hop`, called after all counts, makes the bounds exact. On hosts they are always
/// exact, and the arrays are complete after every hop.
template <device_policy Policy, vertex_id Vertex>
class batch_builder {
  static constexpr memory_space space = Policy::space;
  using ids = array_view<space, Vertex const>;

public:
  /// Value of `num_vertices` for seeds that need no check.
  static constexpr std::int64_t any_vertex = std::numeric_limits<Vertex>::max();

  explicit batch_builder(Policy policy = {}) : policy_(policy), sizes_(policy) {}

  void begin(frontier expand, bool disjoint, std::size_t num_types, std::size_t num_relations) {
    disjoint_ = disjoint;
    num_trees_ = 0;
    sizes_.begin(expand, num_types, num_relations);
    relations_.assign(num_relations, nullptr);
    while (types_.size() < num_types) {
      types_.emplace_back(policy_);
    }
  }

  /// Sets the output for the edges of a type; `out` must live until `finish`.
  void set_relation(std::size_t e, std::size_t source, std::size_t destination, sampled_edges<Policy>& out) {
    relations_[e] = &out;
    sizes_.relation(e).source = source;
    sizes_.relation(e).destination = destination;
    adopt_policy(policy_, out.offsets, out.row, out.col, out.edge_ids);
    out.clear();
    policy_.executor().for_each(1, fill_elements<space, edge_offset>{out.offsets.view(), 0});
  }

  /// Sets the output for the vertices of a type, and its seeds; both must live until `finish`, which reports seeds
  /// outside [0, num_vertices). Makes room for `expected` vertices, though more may come.
  ///
  /// @where  enqueues only
  /// @throws precondition_error  if the number of seeds (of all types, if disjoint) does not fit 31 bits
  /// @cost   O(S + expected)
  void set_seeds(std::size_t t, ids seeds, std::int64_t num_vertices, std::int64_t expected,
                 sampled_vertices<Policy, Vertex>& out) {
    auto& type = types_[t];
    type.out = &out;
    type.seeds = seeds;
    type.num_vertices = num_vertices;
    adopt_policy(policy_, out.nodes, out.seed_index, out.batch);
    out.nodes.clear();
    out.batch.clear();
    out.resize(seeds.size(), disjoint_);
    out.seed_index.resize(seeds.size());
    auto const most = disjoint_ ? any_number : std::min(num_vertices, any_number - seeds.size()) + seeds.size();
    type.numbering.clear(std::max(expected, seeds.size()), most, many(type, expected) ? num_vertices : 0);
    sizes_.add_seeds(t);
    if (disjoint_) {
      static_cast<void>(narrow<local_id>(num_trees_ + seeds.size(), "number of seeds of a disjoint batch"));
    }
    if (!seeds.empty()) {
      disjoint_ ? number_seeds<true>(t) : number_seeds<false>(t);
    }
    num_trees_ += seeds.size();
    sizes_.type(t).frontier_bound = type.numbering.bound();
  }

  /// Ends the seeds of all types.
  void end_seeds() { complete_on_host(); }

  /// Records a hop that draws nothing over one edge type.
  ///
  /// @where  enqueues only
  void skip_relation(std::size_t e) {
    if (auto const num_rows = rows_bound(e); num_rows > 0) {
      count_relation(e, {});
      policy_.executor().for_each(num_rows, make_room(e, 0, false));
    }
  }

  /// Returns the vertices of a type so far, and unwritten room after them; likewise `trees`, their trees.
  [[nodiscard]] ids nodes(std::size_t t) const noexcept { return std::as_const(types_[t].out->nodes).view(); }
  [[nodiscard]] array_view<space, local_id const> trees(std::size_t t) const noexcept {
    return std::as_const(types_[t].out->batch).view();
  }
  /// Returns the edge ids of the batch: the edges of earlier hops, then room for the edges of this hop.
  [[nodiscard]] array_view<space, edge_id> edge_ids(std::size_t e) noexcept { return relations_[e]->edge_ids.view(); }

  /// Returns the frontier of a type in this hop, for kernels; the host knows only the bound `frontier_bound()` of its
  /// size.
  [[nodiscard]] known_frontier<space> frontier_of(std::size_t t) const noexcept { return sizes_.frontier_of(t); }
  [[nodiscard]] std::int64_t frontier_bound(std::size_t t) const noexcept { return sizes_.type(t).frontier_bound; }

  /// Takes the offsets of the edges that the frontier's vertices get over one edge type; they must live until
  /// `number_sources`. Without offsets there are no edges.
  ///
  /// @shape  offsets [frontier_bound() + 1], from 0, no edges after the frontier; or empty
  /// @where  enqueues only
  void count_relation(std::size_t e, array_view<space, edge_offset const> offsets) { sizes_.count(e, offsets); }

  /// Reads the sizes of the hop. From now on the host knows the sizes of all types before the hop, and the numbers of
  /// counted edges.
  ///
  /// @pre    no sources were numbered in this hop; not checked
  /// @cost   waits for the sizes, in one copy
  void read_hop() {
    sizes_.read();
    for (std::size_t t = 0; t < sizes_.num_types(); ++t) {
      types_[t].numbering.tighten(sizes_.sizes().value(sizes_.type(t).end));
    }
  }
  /// Returns the number of edges of a relation that was counted before `read_hop`.
  [[nodiscard]] std::int64_t num_edges_read(std::size_t e) noexcept {
    auto const& relation = sizes_.relation(e);
    return sizes_.sizes().value(relation.edges_after) - sizes_.sizes().value(relation.edges);
  }

  /// Makes room for the edges of a relation that was counted, at most `num_edges`. Call the returned functor for every
  /// i in [0, frontier_bound()).
  ///
  /// @where  enqueues only
  [[nodiscard]] write_destinations<space> make_room(std::size_t e, std::int64_t num_edges, bool edge_ids) {
    auto const& relation = sizes_.relation(e);
    auto& edges = *relations_[e];
    edges.resize(relation.edges_bound + num_edges, relation.expanded_bound + rows_bound(e), edge_ids);
    return {sizes_.place_of(e), relation.drawn, edges.col.view(), edges.offsets.view()};
  }

  /// Numbers the sources of a relation.
  ///
  /// @shape  sources [num_edges] of `make_room`
  /// @where  enqueues only
  /// @throws precondition_error  if the bounds of vertices and edges together do not fit 31 bits
  void number_sources(std::size_t e, ids sources) {
    auto& relation = sizes_.relation(e);
    relation.hop_bound = sources.size();
    if (!sources.empty()) {
      bounded_size<space> const count{.bound = sources.size(),
                                      .exact = relation.drawn.subview(relation.drawn.size() - 1, 1)};
      auto const edges = sizes_.sizes()[relation.edges];
      auto const now = sizes_.sizes().add();
      disjoint_ ? renumber<true>(e, sources, count, edges, now) : renumber<false>(e, sources, count, edges, now);
    }
  }

  /// Appends the draws of the frontier's vertices from `first` on over an edge type, after the draws of earlier
  /// vertices. Call `end_rows` after the last. Replaces `count_relation`, `make_room` and `number_sources` on hosts.
  ///
  /// @shape  offsets [rows + 1], from 0 · sources [offsets[rows]] · edge_ids the same, or empty
  /// @throws precondition_error  if there are more than 2³¹ − 1 vertices
  void add_rows(std::size_t e, std::int64_t first, array_view<space, edge_offset const> offsets, ids sources,
                array_view<space, edge_id const> edge_ids)
    requires(host_policy<Policy>)
  {
    auto& relation = sizes_.relation(e);
    auto& edges = *relations_[e];
    auto const place = sizes_.place_of_rows(e, first, offsets.size() - 1);
    auto const before = place.edges();
    edges.resize(before + sources.size(), place.expanded() + place.frontier.size(), !edge_ids.empty());
    exec::sequential{}.for_each(place.frontier.size(),
                                write_destinations<space>{place, offsets, edges.col.view(), edges.offsets.view()});
    if (!edge_ids.empty()) { // else no memory was allocated for edge ids
      std::copy(edge_ids.begin(), edge_ids.end(), edges.edge_ids.begin() + before);
    }
    if (!sources.empty()) {
      auto& type = sizes_.type(relation.source);
      auto const now = relation.hop_bound == 0 ? sizes_.sizes().add() : type.now;
      relation.hop_bound += sources.size();
      disjoint_ ? renumber<true>(e, sources, {.bound = sources.size()}, place.edges, now)
                : renumber<false>(e, sources, {.bound = sources.size()}, place.edges, now);
    }
  }
  void end_rows(std::size_t e)
    requires(host_policy<Policy>)
  {
    sizes_.count_rows(e);
  }

  /// Ends a hop: its new vertices are known, and the frontiers move on to the next hop.
  void end_hop() {
    sizes_.end_hop([&](std::size_t t) { return types_[t].numbering.bound(); });
    complete_on_host();
  }

  /// Fills in the sizes of the batch, which is complete then.
  ///
  /// @throws precondition_error  if a seed is not a vertex, naming the first; the batch is then empty
  /// @cost   waits for all that was enqueued
  void finish() {
    sizes_.read();
    for (std::size_t t = 0; t < sizes_.num_types(); ++t) {
      auto const& type = types_[t];
      if (auto const bad = sizes_.sizes().value(sizes_.type(t).bad_seed); bad < 0) {
        clear();
        auto const seed = bad + type.seeds.size();
        refuse_vertex("seed", seed, read_element(policy_, type.seeds, seed), type.num_vertices);
      }
    }
    complete();
  }

protected:
  [[nodiscard]] batch_sizes<Policy>& sizes() noexcept { return sizes_; }
  [[nodiscard]] sampled_edges<Policy>& edges(std::size_t e) noexcept { return *relations_[e]; }
  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }
  [[nodiscard]] bool disjoint() const noexcept { return disjoint_; }

  // Returns the most vertices that a hop expands over an edge type.
  [[nodiscard]] std::int64_t rows_bound(std::size_t e) const noexcept {
    return frontier_bound(sizes_.relation(e).destination);
  }

private:
  static constexpr std::int64_t any_number = std::numeric_limits<local_id>::max();

  struct vertex_type {
    explicit vertex_type(Policy const& policy) : numbering(policy) {}
    batch_numbering<Policy, Vertex> numbering;
    sampled_vertices<Policy, Vertex>* out = nullptr;
    ids seeds;
    std::int64_t num_vertices = 0;
  };

  // True if a table of all vertices pays for the expected number, and all seeds are vertices. Wrong seeds would be
  // found only after numbering.
  [[nodiscard]] bool many(vertex_type const& type, std::int64_t expected) const {
    if constexpr (host_policy<Policy>) {
      auto const fits = [&](Vertex seed) { return seed >= 0 && seed < type.num_vertices; };
      return !disjoint_ && type.num_vertices / 16 < expected && std::all_of(type.seeds.begin(), type.seeds.end(), fits);
    } else {
      return false;
    }
  }

  void complete_on_host() {
    if constexpr (host_policy<Policy>) {
      sizes_.read();
      complete();
    }
  }

  // Sets the sizes of the arrays to the sizes that were read.
  void complete() {
    for (std::size_t t = 0; t < sizes_.num_types(); ++t) {
      auto& vertices = *types_[t].out;
      sizes_.num_sampled_nodes(t, vertices.num_sampled);
      vertices.resize(sizes_.sizes().value(sizes_.type(t).now), disjoint_);
    }
    for (std::size_t e = 0; e < sizes_.num_relations(); ++e) {
      auto& edges = *relations_[e];
      sizes_.num_sampled_edges(e, edges.num_sampled);
      edges.resize(sizes_.relation(e).edges_bound, sizes_.relation(e).expanded_bound, !edges.edge_ids.empty());
    }
  }

  void clear() {
    for (std::size_t t = 0; t < sizes_.num_types(); ++t) {
      types_[t].out->resize(0, false);
      types_[t].out->seed_index.clear();
      types_[t].out->num_sampled.clear();
    }
    for (auto* const edges : relations_) {
      edges->clear();
    }
  }

  template <bool Disjoint>
  void number_seeds(std::size_t t) {
    auto& type = types_[t];
    auto& sizes = sizes_.sizes();
    auto const bad_seed =
        type.num_vertices < any_vertex ? sizes.place(sizes_.type(t).bad_seed) : array_view<space, std::int64_t>();
    type.numbering.number_all(
        {.bound = type.seeds.size()}, std::as_const(sizes).place(0), sizes.place(sizes_.type(t).now),
        seed_occurrences<space, Vertex, Disjoint>{type.seeds, num_trees_, type.out->seed_index.view(),
                                                  type.out->nodes.view(), type.out->batch.view(), type.num_vertices,
                                                  bad_seed});
  }

  // `edges_before`: edges of the relation before these; `now`: number of the type's size afterwards.
  template <bool Disjoint>
  void renumber(std::size_t e, ids sources, bounded_size<space> count, bounded_size<space> edges_before,
                std::int64_t now) {
    auto const& relation = sizes_.relation(e);
    auto& source = sizes_.type(relation.source);
    auto& sizes = sizes_.sizes();
    auto& numbering = types_[relation.source].numbering;
    auto& vertices = *types_[relation.source].out;
    auto& edges = *relations_[e];
    source.arrived_bound += sources.size();
    vertices.resize(numbering.bound_after(sources.size()), Disjoint);
    numbering.number_all(count, std::as_const(sizes).place(source.now), sizes.place(now),
                         source_occurrences<space, Vertex, Disjoint>{
                             sources, edges_before, edges.row.view(), std::as_const(edges.col).view(),
                             trees(relation.destination), vertices.nodes.view(), vertices.batch.view()});
    source.now = now;
  }

  Policy policy_;
  bool disjoint_ = false;
  std::int64_t num_trees_ = 0;
  batch_sizes<Policy> sizes_;
  std::vector<vertex_type> types_;
  std::vector<sampled_edges<Policy>*> relations_;
};

} // namespace glt::detail
