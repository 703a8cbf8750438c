// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/numbering.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

#include <algorithm>
#include <cstdint>

namespace glt {

/// Turns the draws of hop after hop into a `sampled_subgraph`: renumbers in first-seen order and keeps the
/// frontier.
///
/// The one place where serial and distributed samplers meet: both hand it the same draws in the same order.
template <device_policy Policy, vertex_id Vertex>
class subgraph_builder {
  static_assert(host_accessible(Policy::space), "subgraph_builder renumbers on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  /// Starts a batch in `out`, which must live until its last hop was added.
  ///
  /// @cost   O(S)
  void begin(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out) {
    clear(expand, out);
    auto& vertices = out.vertices_;
    numbering_.clear();
    vertices.seed_index.resize(seeds.size());
    vertices.nodes.resize(seeds.size());
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      auto const end = numbering_.size();
      vertices.seed_index[i] = numbering_.number(seeds[i]).first;
      vertices.nodes[end] = seeds[i];
    }
    vertices.nodes.resize(numbering_.size());
    vertices.num_sampled.assign(1, vertices.nodes.size());
  }

  /// The same with a tree of its own for every seed, the same seed twice included.
  ///
  /// @cost   O(S)
  void begin_disjoint(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out) {
    clear(expand, out);
    auto& vertices = out.vertices_;
    disjoint_ = true;
    tree_numbering_.clear();
    vertices.seed_index.resize(seeds.size());
    vertices.resize(seeds.size(), true);
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      auto const tree = static_cast<local_id>(i);
      tree_numbering_.number({tree, seeds[i]});
      vertices.seed_index[i] = vertices.batch[i] = tree;
      vertices.nodes[i] = seeds[i];
    }
    vertices.num_sampled.assign(1, seeds.size());
  }

  /// The vertices to expand next, without duplicates in a tree; valid until `add_hop`.
  [[nodiscard]] array_view<space, Vertex const> next_frontier() const noexcept {
    return out_->nodes().subview(first_, out_->vertices_.nodes.size() - first_);
  }

  /// The trees of `next_frontier()`; empty if the batch is not disjoint.
  [[nodiscard]] array_view<space, local_id const> next_trees() const noexcept {
    return disjoint_ ? out_->batch().subview(first_, out_->vertices_.nodes.size() - first_) : out_->batch();
  }

  /// Where a vertex of the batch is in nodes, −1 if it is not there.
  ///
  /// @pre    the batch is not disjoint; not checked
  [[nodiscard]] std::int64_t position_of(Vertex vertex) const noexcept { return numbering_.position_of(vertex); }

  /// Appends the draws for `next_frontier()`.
  ///
  /// @throws precondition_error  if the hop has not one row per frontier vertex, or its offsets do not go
  ///                             from 0 to its number of sources; nothing is written then
  /// @cost   O(frontier + edges)
  void add_hop(hop_sample<Policy, Vertex> const& hop) {
    auto const first_edge = add_destinations(hop);
    auto& vertices = out_->vertices_;
    auto const nodes_before = vertices.nodes.size();
    if (disjoint_) {
      vertices.batch.resize(nodes_before + hop.sources.size());
      renumber(hop.sources, first_edge, tree_numbering_,
               [trees = vertices.batch.data(), col = out_->edges_.col.data() + first_edge, from = hop.sources.data()](
                   std::int64_t e) { return tree_vertex<Vertex>{trees[col[e]], from[e]}; });
      vertices.batch.resize(vertices.nodes.size());
    } else {
      renumber(hop.sources, first_edge, numbering_, [from = hop.sources.data()](std::int64_t e) { return from[e]; });
    }
    end_hop(nodes_before, hop.sources.size());
  }

  /// Appends edges between vertices that the batch has already: sources are positions in nodes.
  ///
  /// @throws precondition_error  as `add_hop`
  /// @cost   O(frontier + edges)
  void add_known_hop(hop_sample<Policy, local_id> const& hop) {
    auto const first_edge = add_destinations(hop);
    copy(hop.sources.view(), out_->edges_.row.view().subview(first_edge, hop.sources.size()));
    end_hop(out_->vertices_.nodes.size(), hop.sources.size());
  }

private:
  void clear(frontier expand, sampled_subgraph<Policy, Vertex>& out) {
    out_ = &out;
    disjoint_ = false;
    first_ = 0;
    out.expand_ = expand;
    out.vertices_.resize(0, false);
    out.edges_.clear();
    out.edges_.offsets[0] = 0;
  }

  // Everything of a hop but its rows, for which it makes room; returns the number of edges before it.
  template <class Source>
  std::int64_t add_destinations(hop_sample<Policy, Source> const& hop) {
    auto& edges = out_->edges_;
    auto const expanded = next_frontier().size();
    if (hop.offsets.size() != expanded + 1) {
      throw precondition_error(detail::message("hop of ", hop.offsets.size(), " offsets for a frontier of ", expanded,
                                               " vertices; give one offset more than vertices"));
    }
    auto const num_edges = hop.sources.size();
    if (hop.offsets[0] != 0 || hop.offsets[expanded] != num_edges) {
      throw precondition_error(detail::message("hop with offsets from ", hop.offsets[0], " to ", hop.offsets[expanded],
                                               " for ", num_edges, " sources; give offsets from 0 to their number"));
    }
    auto const first_edge = edges.row.size();
    auto const offsets_before = edges.offsets.size() - 1;
    edges.resize(first_edge + num_edges, offsets_before + expanded, !hop.edge_ids.empty());
    auto* const col = edges.col.begin() + first_edge;
    for (std::int64_t i = 0; i < expanded; ++i) {
      std::fill(col + hop.offsets[i], col + hop.offsets[i + 1], static_cast<local_id>(first_ + i));
      edges.offsets[offsets_before + i + 1] = first_edge + hop.offsets[i + 1];
    }
    if (!hop.edge_ids.empty()) {
      copy(hop.edge_ids.view(), edges.edge_ids.view().subview(first_edge, num_edges));
    }
    return first_edge;
  }

  template <class Numbering, class KeyOf>
  void renumber(buffer<Policy, Vertex> const& sources, std::int64_t first_edge, Numbering& numbering, KeyOf key_of) {
    auto& vertices = out_->vertices_;
    vertices.nodes.resize(vertices.nodes.size() + sources.size()); // room for all, cut afterwards
    numbering.number_all(sources.size(), key_of,
                         [&, row = out_->edges_.row.data() + first_edge, nodes = vertices.nodes.data(),
                          batch = vertices.batch.data(),
                          from = sources.data()](std::int64_t e, local_id number, local_id first) {
                           row[e] = number;
                           nodes[first] = from[e]; // stays if it was new
                           if constexpr (requires { key_of(e).tree; }) {
                             batch[first] = key_of(e).tree;
                           }
                         });
    vertices.nodes.resize(numbering.size());
  }

  void end_hop(std::int64_t nodes_before, std::int64_t num_edges) {
    auto& vertices = out_->vertices_;
    out_->edges_.num_sampled.push_back(num_edges);
    vertices.num_sampled.push_back(vertices.nodes.size() - nodes_before);
    first_ = out_->expand_ == frontier::fresh ? nodes_before : 0;
  }

  sampled_subgraph<Policy, Vertex>* out_ = nullptr;
  first_seen_numbering<Vertex> numbering_;
  first_seen_numbering<tree_vertex<Vertex>> tree_numbering_;
  bool disjoint_ = false;
  std::int64_t first_ = 0; // position in nodes of the first vertex of the frontier
};

} // namespace glt
