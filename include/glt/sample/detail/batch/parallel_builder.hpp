// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/parallel_batch.hpp>
#include <glt/sample/detail/batch/parallel_hop_place.hpp>
#include <glt/sample/detail/batch/parallel_numbering.hpp>
#include <glt/sample/detail/batch/parallel_occurrences.hpp>
#include <glt/sample/detail/batch/vertex_look_up.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace glt {

/// `subgraph_builder` for policies whose work is enqueued: the same subgraphs. Sizes stay in memory of the policy, and
/// the host works with upper bounds.
///
/// A batch is `begin`, hops, and `finish`. A hop is `add_hop` with what was drawn for `next_frontier()`, whose size
/// is read from the policy's memory; or `count_hop`, `make_room` and `end_hop`, which read nothing.
template <device_policy Policy, vertex_id Vertex>
class parallel_subgraph_builder {
  static constexpr memory_space space = Policy::space;
  static constexpr std::int64_t any_number = std::numeric_limits<local_id>::max();

public:
  explicit parallel_subgraph_builder(Policy policy = {}) : policy_(policy), numbering_(policy), batch_(policy) {}

  /// Starts a batch in `out`, which must live until `finish`, and the seeds too. Makes room for `expected` vertices,
  /// though more may come; a seed outside [0, num_vertices) is reported by `finish`.
  ///
  /// @where  enqueues only
  /// @throws precondition_error  if the number of seeds does not fit 31 bits
  /// @cost   O(S + expected)
  void begin(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out,
             std::int64_t num_vertices = std::numeric_limits<Vertex>::max(), std::int64_t expected = 0) {
    start<false>(seeds, expand, out, num_vertices, expected);
  }

  /// The same with a tree of its own for every seed, the same seed twice included.
  void begin_disjoint(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out,
                      std::int64_t num_vertices = std::numeric_limits<Vertex>::max(), std::int64_t expected = 0) {
    start<true>(seeds, expand, out, num_vertices, expected);
  }

  /// The vertices to expand next, without duplicates in a tree; valid until the next hop.
  ///
  /// @cost   waits for their number
  [[nodiscard]] array_view<space, Vertex const> next_frontier() {
    settle();
    return nodes().subview(batch_.first(), batch_.frontier_bound());
  }
  /// The trees of `next_frontier()`; empty if the batch is not disjoint.
  [[nodiscard]] array_view<space, local_id const> next_trees() {
    settle();
    return disjoint_ ? trees().subview(batch_.first(), batch_.frontier_bound()) : trees();
  }

  /// Appends the draws for `next_frontier()`.
  ///
  /// @pre    the offsets go from 0 to the number of sources; not checked
  /// @throws precondition_error  if the hop has not one row per frontier vertex
  /// @cost   O(frontier + edges); waits if `next_frontier` was not called
  void add_hop(hop_sample<Policy, Vertex> const& hop) {
    add_destinations(hop);
    end_hop(hop.sources.view());
  }

  /// Appends edges between vertices that the batch has already: sources are positions in nodes.
  ///
  /// @throws precondition_error  as `add_hop`
  void add_known_hop(hop_sample<Policy, local_id> const& hop) {
    add_destinations(hop);
    append(hop.sources, out_->edges_.row.data() + batch_.edges_bound());
    auto const before = batch_.sizes().nodes(batch_.hop());
    policy_.resource().copy(batch_.sizes().nodes(batch_.hop() + 1).data(), before.data(), sizeof(std::int64_t));
    batch_.end_hop(hop.sources.size(), 0, numbering_.bound());
  }

  /// Fills in the sizes of the batch, which is complete then.
  ///
  /// @throws precondition_error  if a seed is no vertex, naming the first; `out` is empty then
  /// @cost   waits for all that was enqueued
  void finish() {
    auto const known = batch_.read();
    auto const hops = batch_.hop();
    auto& vertices = out_->vertices_;
    auto& edges = out_->edges_;
    vertices.num_sampled.clear();
    edges.num_sampled.clear();
    if (auto const bad = known.bad_seed()[0]; bad < seeds_.size()) {
      clear();
      detail::refuse_vertex("seed", bad, read_element(policy_, seeds_, bad), num_vertices_);
    }
    vertices.num_sampled.push_back(known.nodes(0)[0]);
    for (std::int64_t hop = 0; hop < hops; ++hop) {
      vertices.num_sampled.push_back(known.nodes(hop + 1)[0] - known.nodes(hop)[0]);
      edges.num_sampled.push_back(known.edges(hop + 1)[0] - known.edges(hop)[0]);
    }
    vertices.resize(known.nodes(hops)[0], disjoint_);
    edges.resize(known.edges(hops)[0], known.expanded(hops)[0], !edges.edge_ids.empty());
  }

  /// Says in kernels where a vertex is in nodes; for work that is enqueued before the next hop.
  ///
  /// @pre    the batch is not disjoint; not checked
  [[nodiscard]] detail::vertex_look_up<space, Vertex> look_up() { return {numbering_.table(), nodes()}; }

  /// The vertices of the batch so far and their trees, and room behind them that means nothing.
  [[nodiscard]] array_view<space, Vertex const> nodes() const noexcept { return out_->nodes(); }
  [[nodiscard]] array_view<space, local_id const> trees() const noexcept { return out_->batch(); }

  /// Which of the nodes are expanded next and where their edges go, for kernels; the host knows that they are not more
  /// than `frontier_bound()`. Valid until `end_hop`.
  [[nodiscard]] detail::hop_place<space> next_place() { return batch_.next_place(); }
  [[nodiscard]] std::int64_t frontier_bound() const noexcept { return batch_.frontier_bound(); }

  /// Takes the offsets of the edges that the vertices of the frontier get; they must live until `end_hop`.
  ///
  /// @shape  offsets [frontier_bound() + 1], from 0; no edges behind the frontier
  /// @where  enqueues only
  void count_hop(array_view<space, edge_offset const> offsets) {
    auto const place = next_place();
    auto const after = batch_.hop() + 1;
    policy_.executor().for_each(1, detail::end_of_draws<space>{place, offsets, batch_.sizes().edges(after),
                                                               batch_.sizes().expanded(after)});
    drawn_ = offsets;
  }

  /// The number of edges of the hop that was counted; from now on the host knows all sizes up to there.
  ///
  /// @cost   waits for it
  [[nodiscard]] std::int64_t read_num_edges() {
    auto const known = know();
    return known.edges(batch_.hop() + 1)[0] - known.edges(batch_.hop())[0];
  }

  /// Makes room for the edges of the hop that was counted, at most `num_edges`; the functor is to be called for every i
  /// in [0, frontier_bound()).
  ///
  /// @where  enqueues only
  [[nodiscard]] detail::put_destinations<space> make_room(std::int64_t num_edges, bool edge_ids) {
    auto& edges = out_->edges_;
    edges.resize(batch_.edges_bound() + num_edges, batch_.expanded_bound() + frontier_bound(), edge_ids);
    return {next_place(), drawn_, edges.col.view(), edges.offsets.view()};
  }
  /// The edge ids of the batch, with room for those of the hop from `next_place().edges` on.
  [[nodiscard]] array_view<space, edge_id> edge_ids() noexcept { return out_->edges_.edge_ids.view(); }

  /// Ends the hop: renumbers its sources.
  ///
  /// @shape  sources [num_edges] of `make_room`
  /// @where  enqueues only
  /// @throws precondition_error  as `parallel_numbering::number_all`
  void end_hop(array_view<space, Vertex const> sources) {
    disjoint_ ? renumber<true>(sources) : renumber<false>(sources);
    batch_.end_hop(sources.size(), sources.size(), numbering_.bound());
  }

private:
  template <bool Disjoint>
  void start(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out,
             std::int64_t num_vertices, std::int64_t expected) {
    auto const num_seeds = seeds.size();
    auto& vertices = out.vertices_;
    auto& edges = out.edges_;
    out_ = &out;
    out.expand_ = expand;
    seeds_ = seeds;
    num_vertices_ = num_vertices;
    disjoint_ = Disjoint;
    detail::take_from(policy_, vertices.nodes, vertices.seed_index, vertices.batch, edges.offsets, edges.row, edges.col,
                      edges.edge_ids);
    clear();
    vertices.resize(num_seeds, Disjoint);
    vertices.seed_index.resize(num_seeds);
    batch_.begin(num_seeds, expand, edges.offsets.view());
    numbering_.clear(std::max(expected, num_seeds),
                     Disjoint ? any_number : std::min(num_vertices, any_number - num_seeds) + num_seeds);
    auto const sizes = batch_.sizes();
    numbering_.number_all({.bound = num_seeds}, sizes.zero(), sizes.nodes(0),
                          detail::seed_occurrences<space, Vertex, Disjoint>{
                              seeds, 0, vertices.seed_index.view(), vertices.nodes.view(), vertices.batch.view(),
                              num_vertices, sizes.bad_seed()});
    batch_.end_seeds(numbering_.bound());
  }

  void clear() {
    out_->vertices_.resize(0, false);
    out_->vertices_.seed_index.clear();
    out_->vertices_.num_sampled.clear();
    out_->edges_.clear();
  }

  // Everything of a drawn hop but its rows.
  template <class Source>
  void add_destinations(hop_sample<Policy, Source> const& hop) {
    settle();
    if (hop.offsets.size() != frontier_bound() + 1) {
      throw precondition_error(detail::message("hop of ", hop.offsets.size(), " offsets for a frontier of ",
                                               frontier_bound(), " vertices; give one offset more than vertices"));
    }
    count_hop(hop.offsets.view());
    policy_.executor().for_each(frontier_bound(), make_room(hop.sources.size(), !hop.edge_ids.empty()));
    append(hop.edge_ids, out_->edges_.edge_ids.data() + batch_.edges_bound());
  }

  template <class T>
  void append(buffer<Policy, T> const& from, T* to) {
    if (!from.empty()) {
      policy_.resource().copy(to, from.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
    }
  }

  template <bool Disjoint>
  void renumber(array_view<space, Vertex const> sources) {
    auto& vertices = out_->vertices_;
    auto& edges = out_->edges_;
    vertices.resize(numbering_.bound_after(sources.size()), Disjoint);
    auto const sizes = batch_.sizes();
    auto const hop = batch_.hop();
    numbering_.number_all({.bound = sources.size(), .exact = drawn_.subview(drawn_.size() - 1, 1)}, sizes.nodes(hop),
                          sizes.nodes(hop + 1),
                          detail::source_occurrences<space, Vertex, Disjoint>{
                              sources, {sizes.edges(hop)}, edges.row.view(), std::as_const(edges.col).view(), trees(),
                              vertices.nodes.view(), vertices.batch.view()});
  }

  void settle() {
    if (!batch_.exact()) {
      static_cast<void>(know());
    }
  }

  detail::batch_sizes<memory_space::host> know() {
    auto const known = batch_.read();
    batch_.know(known);
    numbering_.tighten(known.nodes(batch_.hop())[0]);
    return known;
  }

  Policy policy_;
  parallel_numbering<Policy> numbering_;
  detail::parallel_batch<Policy> batch_;
  sampled_subgraph<Policy, Vertex>* out_ = nullptr;
  array_view<space, Vertex const> seeds_;
  array_view<space, edge_offset const> drawn_; // offsets of the hop
  std::int64_t num_vertices_ = 0;
  bool disjoint_ = false;
};

} // namespace glt
