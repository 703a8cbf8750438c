// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/numbering.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt {

/// Turns the draws of hop after hop into a `hetero_subgraph`: renumbers the vertices of every type in
/// first-seen order and keeps the frontiers.
///
/// The one place where serial and distributed samplers meet: both hand it the same draws in the same order.
/// A hop is one `add_relation` per edge type, in ascending order, and `end_hop`; what is new in it is in the
/// frontiers of the next.
template <device_policy Policy, vertex_id Vertex>
class hetero_builder {
  static_assert(host_policy<Policy>, "hetero_builder renumbers on the host: use parallel_hetero_builder");

public:
  explicit hetero_builder(Policy const& = {}) {}

  /// Starts a batch in `out`, which must live until its last hop was added.
  ///
  /// @shape  seeds [node types], one list of ids each
  /// @pre    seeds has one list per node type; not checked
  /// @throws precondition_error  if a disjoint batch has more seeds than a `local_id` can number
  /// @cost   O(S)
  void begin(hetero_schema const& schema, std::span<array_view<Policy::space, Vertex const> const> seeds,
             hetero_options const& options, hetero_subgraph<Policy, Vertex>& out) {
    auto const types = static_cast<std::size_t>(schema.num_node_types());
    out_ = &out;
    disjoint_ = options.disjoint;
    numberings_.resize(types);
    tree_numberings_.resize(types);
    frontiers_.assign(types, {});
    out.expand_ = options.expand;
    out.num_hops_ = 0;
    out.vertices_.resize(types);
    out.relations_.resize(static_cast<std::size_t>(schema.num_edge_types()));
    std::int64_t trees = 0;
    for (std::size_t t = 0; t < types; ++t) {
      auto& vertices = out.vertices_[t];
      numberings_[t].clear();
      tree_numberings_[t].clear();
      vertices.resize(0, false);
      vertices.seed_index.resize(seeds[t].size());
      if (disjoint_) {
        static_cast<void>(detail::narrow<local_id>(trees + seeds[t].size(), "number of seeds of a disjoint batch"));
        number(t, seeds[t], tree_numberings_[t], vertices.seed_index.view(), [&](std::int64_t i) {
          return tree_vertex<Vertex>{static_cast<local_id>(trees + i), seeds[t][i]};
        });
        trees += seeds[t].size();
      } else {
        number(t, seeds[t], numberings_[t], vertices.seed_index.view(), [&](std::int64_t i) { return seeds[t][i]; });
      }
      vertices.num_sampled.assign(1, vertices.nodes.size());
      frontiers_[t].end = vertices.nodes.size();
    }
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      auto& edges = out.relations_[static_cast<std::size_t>(e)];
      edges.source_type = schema.source_type(e);
      edges.destination_type = schema.destination_type(e);
      edges.clear();
      edges.offsets[0] = 0;
    }
  }

  /// The trees of `current_frontier()`; empty if the batch is not disjoint.
  ///
  /// @pre    node_type is one of the schema; not checked
  [[nodiscard]] array_view<Policy::space, local_id const> current_trees(int node_type) const noexcept {
    auto const t = static_cast<std::size_t>(node_type);
    auto const batch = out_->vertices_[t].batch.view();
    return disjoint_ ? batch.subview(frontiers_[t].begin, frontiers_[t].end - frontiers_[t].begin) : batch;
  }

  /// The vertices of a type to expand in this hop, without duplicates in a tree; valid until `add_relation`.
  ///
  /// @pre    node_type is one of the schema; not checked
  [[nodiscard]] array_view<Policy::space, Vertex const> current_frontier(int node_type) const noexcept {
    auto const t = static_cast<std::size_t>(node_type);
    return out_->vertices_[t].nodes.view().subview(frontiers_[t].begin, frontiers_[t].end - frontiers_[t].begin);
  }

  /// Appends the draws over one edge type for the frontier of its destination type.
  ///
  /// @pre    edge_type is one of the schema and has no draws in this hop yet; not checked
  /// @throws precondition_error  if there is not one row per frontier vertex, or the offsets do not go from 0
  ///                             to the number of sources
  /// @cost   O(frontier + edges)
  void add_relation(int edge_type, hop_sample<Policy, Vertex> const& hop) {
    auto& edges = out_->relations_[static_cast<std::size_t>(edge_type)];
    auto const source_type = static_cast<std::size_t>(edges.source_type);
    auto const& range = frontiers_[static_cast<std::size_t>(edges.destination_type)];
    auto const expanded = range.end - range.begin;
    auto const num_edges = hop.sources.size();
    if (hop.offsets.size() != expanded + 1 || hop.offsets[0] != 0 || hop.offsets[expanded] != num_edges) {
      throw precondition_error(detail::message(
          "hop of ", hop.offsets.size(), " offsets and ", num_edges, " sources over edge type ", edge_type,
          " for a frontier of ", expanded,
          " vertices; give one offset more than vertices, from 0 to the number of sources"));
    }
    auto const edges_before = edges.row.size();
    auto const offsets_before = edges.offsets.size() - 1;
    edges.resize(edges_before + num_edges, offsets_before + expanded, !hop.edge_ids.empty());
    for (std::int64_t i = 0; i < expanded; ++i) {
      auto* const col = edges.col.begin() + edges_before;
      std::fill(col + hop.offsets[i], col + hop.offsets[i + 1], static_cast<local_id>(range.begin + i));
      edges.offsets[offsets_before + i + 1] = edges_before + hop.offsets[i + 1];
    }
    auto const row = edges.row.view().subview(edges_before, num_edges);
    if (disjoint_) {
      auto const& trees = out_->vertices_[static_cast<std::size_t>(edges.destination_type)].batch;
      number(source_type, hop.sources.view(), tree_numberings_[source_type], row, [&](std::int64_t e) {
        return tree_vertex<Vertex>{trees[edges.col[edges_before + e]], hop.sources[e]};
      });
    } else {
      number(source_type, hop.sources.view(), numberings_[source_type], row,
             [&](std::int64_t e) { return hop.sources[e]; });
    }
    if (!hop.edge_ids.empty()) {
      copy(hop.edge_ids.view(), edges.edge_ids.view().subview(edges_before, num_edges));
    }
    edges.num_sampled.push_back(num_edges);
  }

  /// Records a hop that draws nothing over one edge type.
  ///
  /// @pre    as `add_relation`
  void skip_relation(int edge_type) {
    auto& edges = out_->relations_[static_cast<std::size_t>(edge_type)];
    auto const& range = frontiers_[static_cast<std::size_t>(edges.destination_type)];
    auto const before = edges.offsets.size();
    edges.offsets.resize(before + range.end - range.begin);
    for (auto i = before; i < edges.offsets.size(); ++i) {
      edges.offsets[i] = edges.row.size();
    }
    edges.num_sampled.push_back(0);
  }

  /// Makes the vertices that are new in this hop known, and the frontiers those of the next one.
  ///
  /// @cost   O(node types)
  void end_hop() {
    for (std::size_t t = 0; t < frontiers_.size(); ++t) {
      auto& vertices = out_->vertices_[t];
      auto const known = frontiers_[t].end;
      vertices.num_sampled.push_back(vertices.nodes.size() - known);
      frontiers_[t] = {out_->expand_ == frontier::fresh ? known : 0, vertices.nodes.size()};
    }
    ++out_->num_hops_;
  }

private:
  struct frontier_range { // positions in the nodes of a type
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  // Appends those of the ids that are new to the nodes of their type, and writes the positions of all.
  template <class Numbering, class KeyOf>
  void number(std::size_t node_type, array_view<Policy::space, Vertex const> ids, Numbering& numbering,
              array_view<Policy::space, local_id> positions, KeyOf key_of) {
    auto& vertices = out_->vertices_[node_type];
    vertices.resize(vertices.nodes.size() + ids.size(), disjoint_); // room for all, cut afterwards
    numbering.number_all(ids.size(), key_of,
                         [=, nodes = vertices.nodes.data(), batch = vertices.batch.data()](
                             std::int64_t i, local_id position, local_id first) {
                           positions[i] = position;
                           nodes[first] = ids[i]; // stays if it was new
                           if constexpr (requires { key_of(i).tree; }) {
                             batch[first] = key_of(i).tree;
                           }
                         });
    vertices.resize(numbering.size(), disjoint_);
  }

  hetero_subgraph<Policy, Vertex>* out_ = nullptr;
  std::vector<first_seen_numbering<Vertex>> numberings_; // by node type, like the next
  std::vector<first_seen_numbering<tree_vertex<Vertex>>> tree_numberings_;
  std::vector<frontier_range> frontiers_; // by node type
  bool disjoint_ = false;
};

} // namespace glt
