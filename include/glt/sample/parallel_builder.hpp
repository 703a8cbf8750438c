// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/draw.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/parallel_batch.hpp>
#include <glt/sample/parallel_numbering.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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
  explicit parallel_subgraph_builder(Policy policy = {}) : policy_(policy), numbering_(policy), sizes_(0, policy) {}

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
    return nodes().subview(first_, frontier_bound_);
  }
  /// The trees of `next_frontier()`; empty if the batch is not disjoint.
  [[nodiscard]] array_view<space, local_id const> next_trees() {
    settle();
    return disjoint_ ? trees().subview(first_, frontier_bound_) : trees();
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
    append(hop.sources, out_->row_.data() + edges_bound_);
    policy_.resource().copy(&sizes().nodes(hop_ + 1), &sizes().nodes(hop_), sizeof(std::int64_t));
    next(hop.sources.size(), 0);
  }

  /// Fills in the sizes of the batch, which is complete then.
  ///
  /// @throws precondition_error  if a seed is no vertex, naming the first; `out` is empty then
  /// @cost   waits for all that was enqueued
  void finish() {
    auto const known = read_sizes();
    auto& out = *out_;
    out.num_sampled_nodes_.clear();
    out.num_sampled_edges_.clear();
    if (auto const bad = known.bad_seed(); bad < seeds_.size()) {
      clear();
      detail::refuse_vertex("seed", bad, read_element(policy_, seeds_, bad), num_vertices_);
    }
    out.num_sampled_nodes_.push_back(known.nodes(0));
    for (std::int64_t hop = 0; hop < hop_; ++hop) {
      out.num_sampled_nodes_.push_back(known.nodes(hop + 1) - known.nodes(hop));
      out.num_sampled_edges_.push_back(known.edges(hop + 1) - known.edges(hop));
    }
    out.nodes_.resize(known.nodes(hop_));
    out.batch_.resize(disjoint_ ? known.nodes(hop_) : 0);
    out.offsets_.resize(known.expanded(hop_) + 1);
    out.row_.resize(known.edges(hop_));
    out.col_.resize(known.edges(hop_));
    out.edge_ids_.resize(out.edge_ids_.empty() ? 0 : known.edges(hop_));
  }

  /// Says in kernels where a vertex is in nodes; for work that is enqueued before the next hop.
  ///
  /// @pre    the batch is not disjoint; not checked
  [[nodiscard]] detail::vertex_look_up<space, Vertex> look_up() { return {numbering_.table(), nodes()}; }

  /// The vertices of the batch so far and their trees, and room behind them that means nothing.
  [[nodiscard]] array_view<space, Vertex const> nodes() const noexcept { return std::as_const(out_->nodes_).view(); }
  [[nodiscard]] array_view<space, local_id const> trees() const noexcept { return std::as_const(out_->batch_).view(); }

  /// Which of the nodes are expanded next, for kernels; the host knows that they are not more than
  /// `frontier_bound()`. Valid until `end_hop`.
  [[nodiscard]] detail::frontier_place<space> next_place() {
    if (auto const length = detail::batch_sizes<space>::length(hop_ + 1); sizes_.size() < length) {
      sizes_.resize(2 * length); // now, for the sizes have to stay where they are until the hop ends
    }
    return {sizes(), hop_, expand_ == frontier::fresh};
  }
  [[nodiscard]] std::int64_t frontier_bound() const noexcept { return frontier_bound_; }

  /// Takes the offsets of the edges that the vertices of the frontier get; they must live until `end_hop`.
  ///
  /// @shape  offsets [frontier_bound() + 1], from 0; no edges behind the frontier
  /// @where  enqueues only
  void count_hop(array_view<space, edge_offset const> offsets) {
    policy_.executor().for_each(1, detail::end_of_draws<space>{next_place(), offsets});
    drawn_ = offsets;
  }

  /// The number of edges of the hop that was counted; from now on the host knows all sizes up to there.
  ///
  /// @cost   waits for it
  [[nodiscard]] std::int64_t read_num_edges() {
    auto const known = read_sizes();
    know(known);
    return known.edges(hop_ + 1) - known.edges(hop_);
  }

  /// Makes room for the edges of the hop that was counted, at most `num_edges`; the functor is to be called for every i
  /// in [0, frontier_bound()).
  ///
  /// @where  enqueues only
  [[nodiscard]] detail::put_destinations<space> make_room(std::int64_t num_edges, bool edge_ids) {
    auto& out = *out_;
    out.row_.resize(edges_bound_ + num_edges);
    out.col_.resize(edges_bound_ + num_edges);
    if (edge_ids) {
      out.edge_ids_.resize(edges_bound_ + num_edges);
    }
    out.offsets_.resize(expanded_bound_ + frontier_bound_ + 1);
    return {next_place(), drawn_, out.col_.view(), out.offsets_.view()};
  }
  /// The edge ids of the batch, with room for those of the hop from `next_place().sizes.edges(hop)` on.
  [[nodiscard]] array_view<space, edge_id> edge_ids() noexcept { return out_->edge_ids_.view(); }

  /// Ends the hop: renumbers its sources.
  ///
  /// @shape  sources [num_edges] of `make_room`
  /// @where  enqueues only
  /// @throws precondition_error  as `parallel_numbering::number_all`
  void end_hop(array_view<space, Vertex const> sources) {
    disjoint_ ? renumber<true>(sources) : renumber<false>(sources);
    next(sources.size(), sources.size());
  }

private:
  [[nodiscard]] detail::batch_sizes<space> sizes() noexcept { return {sizes_.view()}; }

  template <bool Disjoint>
  void start(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out,
             std::int64_t num_vertices, std::int64_t expected) {
    auto const num_seeds = seeds.size();
    out_ = &out;
    seeds_ = seeds;
    num_vertices_ = num_vertices;
    expand_ = out.expand_ = expand;
    disjoint_ = Disjoint;
    hop_ = first_ = edges_bound_ = expanded_bound_ = 0;
    settled_ = false;
    detail::take_from(policy_, out.nodes_);
    detail::take_from(policy_, out.seed_index_);
    detail::take_from(policy_, out.batch_);
    detail::take_from(policy_, out.offsets_);
    detail::take_from(policy_, out.row_);
    detail::take_from(policy_, out.col_);
    detail::take_from(policy_, out.edge_ids_);
    clear();
    sizes_.resize(std::max(sizes_.size(), detail::batch_sizes<space>::length(7)));
    out.nodes_.resize(num_seeds);
    out.batch_.resize(Disjoint ? num_seeds : 0);
    out.seed_index_.resize(num_seeds);
    out.offsets_.resize(1);
    policy_.executor().for_each(1, detail::start_batch<space>{sizes(), num_seeds, out.offsets_.view()});
    numbering_.clear(std::max(expected, num_seeds),
                     Disjoint ? any_number : std::min(num_vertices, any_number - num_seeds) + num_seeds);
    numbering_.number_all({.bound = num_seeds}, sizes().zero(), sizes().place_of_nodes(0),
                          detail::seed_occurrences<space, Vertex, Disjoint>{
                              seeds, num_vertices, sizes(), out.seed_index_.view(), out.nodes_.view(),
                              out.batch_.view()});
    frontier_bound_ = numbering_.bound();
  }

  void clear() {
    auto& out = *out_;
    out.nodes_.clear();
    out.seed_index_.clear();
    out.batch_.clear();
    out.offsets_.clear();
    out.row_.clear();
    out.col_.clear();
    out.edge_ids_.clear();
    out.num_sampled_nodes_.clear();
    out.num_sampled_edges_.clear();
  }

  // Everything of a drawn hop but its rows.
  template <class Source>
  void add_destinations(hop_sample<Policy, Source> const& hop) {
    settle();
    if (hop.offsets.size() != frontier_bound_ + 1) {
      throw precondition_error(detail::message("hop of ", hop.offsets.size(), " offsets for a frontier of ",
                                               frontier_bound_, " vertices; give one offset more than vertices"));
    }
    count_hop(hop.offsets.view());
    policy_.executor().for_each(frontier_bound_, make_room(hop.sources.size(), !hop.edge_ids.empty()));
    append(hop.edge_ids, out_->edge_ids_.data() + edges_bound_);
  }

  template <class T>
  void append(buffer<Policy, T> const& from, T* to) {
    if (!from.empty()) {
      policy_.resource().copy(to, from.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
    }
  }

  template <bool Disjoint>
  void renumber(array_view<space, Vertex const> sources) {
    auto& out = *out_;
    auto const room = numbering_.bound_after(sources.size());
    out.nodes_.resize(room);
    out.batch_.resize(Disjoint ? room : 0);
    numbering_.number_all({.bound = sources.size(), .exact = drawn_.subview(drawn_.size() - 1, 1)},
                          sizes().place_of_nodes(hop_), sizes().place_of_nodes(hop_ + 1),
                          detail::source_occurrences<space, Vertex, Disjoint>{
                              sources, sizes(), hop_, out.row_.view(), out.col_.view(), out.nodes_.view(),
                              out.batch_.view()});
  }

  void next(std::int64_t num_edges, std::int64_t num_sources) {
    expanded_bound_ += frontier_bound_;
    edges_bound_ += num_edges;
    frontier_bound_ = expand_ == frontier::fresh ? std::min(num_sources, numbering_.bound()) : numbering_.bound();
    settled_ = false;
    ++hop_;
  }

  void settle() {
    if (!settled_) {
      know(read_sizes());
    }
  }

  [[nodiscard]] detail::batch_sizes<memory_space::host> read_sizes() {
    known_.resize(static_cast<std::size_t>(sizes_.size()));
    copy_out(policy_, std::as_const(sizes_).view(), host_view<std::int64_t>(known_));
    return {known_};
  }

  void know(detail::batch_sizes<memory_space::host> known) {
    numbering_.tighten(known.nodes(hop_));
    edges_bound_ = known.edges(hop_);
    expanded_bound_ = known.expanded(hop_);
    first_ = expand_ == frontier::fresh && hop_ > 0 ? known.nodes(hop_ - 1) : 0;
    frontier_bound_ = known.nodes(hop_) - first_;
    settled_ = true;
  }

  Policy policy_;
  parallel_numbering<Policy> numbering_;
  buffer<Policy, std::int64_t> sizes_; // see `batch_sizes`
  std::vector<std::int64_t> known_;    // a copy of them
  sampled_subgraph<Policy, Vertex>* out_ = nullptr;
  array_view<space, Vertex const> seeds_;
  array_view<space, edge_offset const> drawn_; // offsets of the hop
  std::int64_t num_vertices_ = 0;
  frontier expand_ = frontier::fresh;
  bool disjoint_ = false;
  std::int64_t hop_ = 0;
  bool settled_ = false; // the following are exact, not only bounds
  std::int64_t first_ = 0; // position in nodes of the first vertex of the frontier, if settled
  std::int64_t frontier_bound_ = 0;
  std::int64_t edges_bound_ = 0;
  std::int64_t expanded_bound_ = 0;
};

} // namespace glt
