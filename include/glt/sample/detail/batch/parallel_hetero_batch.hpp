// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/known_sizes.hpp>
#include <glt/sample/detail/batch/parallel_hop_place.hpp>
#include <glt/sample/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt::detail {

/// The sizes of a batch with types where it is sampled, and what the host knows of them: upper bounds, which are exact
/// once the sizes were read.
///
/// Sizes are named by their numbers among all that the batch writes.
template <device_policy Policy>
class parallel_hetero_batch {
  static constexpr memory_space space = Policy::space;

public:
  /// What is known of the vertices of a type.
  struct vertex_sizes {
    std::int64_t begin = 0; ///< of the frontier in nodes
    std::int64_t end = 0;
    std::int64_t now = 0; ///< vertices so far
    std::int64_t frontier_bound = 0;
    std::int64_t arrived_bound = 0; ///< vertices that may be new in this hop
  };
  /// What is known of the edges of a type.
  struct edge_sizes {
    std::size_t source = 0; ///< types
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

  explicit parallel_hetero_batch(Policy policy = {}) : policy_(policy), sizes_(policy) {}

  /// Starts a batch of at most so many hops.
  ///
  /// @where  enqueues only
  void begin(hetero_schema const& schema, std::int64_t hops, frontier expand) {
    fresh_ = expand == frontier::fresh;
    hops_ = 0;
    types_.assign(static_cast<std::size_t>(schema.num_node_types()), {});
    relations_.assign(static_cast<std::size_t>(schema.num_edge_types()), {});
    for (std::size_t e = 0; e < relations_.size(); ++e) {
      relations_[e].source = static_cast<std::size_t>(schema.source_type(static_cast<int>(e)));
      relations_[e].destination = static_cast<std::size_t>(schema.destination_type(static_cast<int>(e)));
    }
    nodes_after_.clear();
    edges_around_.clear();
    sizes_.clear(schema.num_node_types() + 3 * schema.num_edge_types() * hops);
  }

  [[nodiscard]] vertex_sizes& type(std::size_t t) noexcept { return types_[t]; }
  [[nodiscard]] vertex_sizes const& type(std::size_t t) const noexcept { return types_[t]; }
  [[nodiscard]] edge_sizes& relation(std::size_t e) noexcept { return relations_[e]; }
  [[nodiscard]] edge_sizes const& relation(std::size_t e) const noexcept { return relations_[e]; }
  [[nodiscard]] std::size_t num_types() const noexcept { return types_.size(); }
  [[nodiscard]] std::size_t num_relations() const noexcept { return relations_.size(); }
  [[nodiscard]] known_sizes<Policy>& sizes() noexcept { return sizes_; }

  [[nodiscard]] known_frontier<space> frontier_of(std::size_t t) const noexcept {
    return {sizes_[types_[t].begin], sizes_[types_[t].end]};
  }
  /// Where the edges of this hop go.
  [[nodiscard]] hop_place<space> place_of(std::size_t e) const noexcept {
    auto const& relation = relations_[e];
    return {frontier_of(relation.destination), sizes_[relation.edges], sizes_[relation.expanded]};
  }

  /// Ends the seeds of a type, whose number is written to the size that is returned.
  std::int64_t end_seeds(std::size_t t) {
    auto& type = types_[t];
    type.end = type.now = sizes_.add();
    nodes_after_.push_back(type.end);
    return type.end;
  }

  /// Takes the offsets of what a hop draws over an edge type.
  ///
  /// @where  enqueues only
  void count(std::size_t e, array_view<space, edge_offset const> drawn) {
    auto& relation = relations_[e];
    relation.drawn = drawn;
    relation.edges_after = sizes_.add();
    relation.expanded_after = sizes_.add();
    policy_.executor().for_each(1, end_of_draws<space>{place_of(e), drawn, sizes_.place(relation.edges_after),
                                                       sizes_.place(relation.expanded_after)});
  }

  /// Reads all sizes: the bounds of what was before this hop are exact then.
  ///
  /// @cost   waits for what was enqueued before
  void read() {
    sizes_.read();
    for (auto& type : types_) {
      type.frontier_bound = sizes_.value(type.end) - sizes_.value(type.begin);
    }
    for (auto& relation : relations_) {
      relation.edges_bound = sizes_.value(relation.edges);
      relation.expanded_bound = sizes_.value(relation.expanded);
    }
  }

  /// Ends a hop, after which there are at most nodes_bound(t) vertices of type t.
  template <class NodesBound>
  void end_hop(NodesBound const& nodes_bound) {
    for (auto& relation : relations_) {
      edges_around_.push_back(relation.edges);
      edges_around_.push_back(relation.edges_after < 0 ? relation.edges : relation.edges_after);
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
      type.frontier_bound = fresh_ ? std::min(type.arrived_bound, nodes_bound(t)) : nodes_bound(t);
      type.arrived_bound = 0;
      nodes_after_.push_back(type.end);
    }
    ++hops_;
  }

  /// The vertices of a type that the seeds and every hop gave, and the edges of a type that every hop gave, as `read`
  /// found them.
  void num_sampled_nodes(std::size_t t, std::vector<std::int64_t>& out) const {
    out.clear();
    for (std::size_t hop = 0; hop <= hops_; ++hop) {
      auto const before = hop == 0 ? 0 : sizes_.value(nodes_after_[(hop - 1) * types_.size() + t]);
      out.push_back(sizes_.value(nodes_after_[hop * types_.size() + t]) - before);
    }
  }
  void num_sampled_edges(std::size_t e, std::vector<std::int64_t>& out) const {
    out.clear();
    for (std::size_t hop = 0; hop < hops_; ++hop) {
      auto const* const around = edges_around_.data() + 2 * (hop * relations_.size() + e);
      out.push_back(sizes_.value(around[1]) - sizes_.value(around[0]));
    }
  }

private:
  Policy policy_;
  bool fresh_ = true;
  std::size_t hops_ = 0;
  known_sizes<Policy> sizes_;
  std::vector<vertex_sizes> types_;
  std::vector<edge_sizes> relations_;
  std::vector<std::int64_t> nodes_after_;  // the seeds and every hop, of all types
  std::vector<std::int64_t> edges_around_; // before and after every hop, of all types
};

} // namespace glt::detail
