// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/hop_worker.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Seeds of batches, by node type: checks the lists, and completes the list of a single type.
///
/// @shape  seeds [node types], one list of ids each
template <memory_space Space, vertex_id Vertex>
class hetero_seeds {
public:
  using list = array_view<Space, Vertex const>;

  explicit hetero_seeds(hetero_schema const& schema) {
    for (auto const& type : schema.node_types()) {
      what_.push_back(type.name + " seed");
      num_vertices_.push_back(type.num_vertices);
    }
    lists_.resize(what_.size());
  }
  /// Takes the seeds of a graph without types, one list.
  explicit hetero_seeds(std::int64_t num_vertices) : what_{"seed"}, num_vertices_{num_vertices}, lists_(1) {}

  /// Returns the number of seeds of all types.
  ///
  /// @throws precondition_error  if there is not one list per node type, or naming the first seed that is not
  ///                             a vertex of its type
  /// @where  waits once for every type that has seeds
  /// @cost   O(S)
  template <device_policy Policy>
    requires(Policy::space == Space)
  std::int64_t check(Policy const& policy, std::span<list const> seeds) const {
    if (seeds.size() != what_.size()) {
      throw precondition_error(message("seeds of ", seeds.size(), " node types for a graph of ", what_.size(),
                                       "; give one list per type, empty if need be"));
    }
    std::int64_t count = 0;
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      validate_vertices(policy, what_[t], seeds[t], num_vertices_[t]);
      count += seeds[t].size();
    }
    return count;
  }

  /// Returns the lists of all types, of which only one is not empty; valid until the next call.
  ///
  /// @throws precondition_error  if there is no such node type
  [[nodiscard]] std::span<list const> of_one_type(int node_type, list seeds) {
    if (node_type < 0 || node_type >= std::ssize(lists_)) {
      throw precondition_error(message("seeds of node type ", node_type, " of ", lists_.size(),
                                       "; types count from 0, see hetero_schema::find_node_type"));
    }
    lists_.assign(lists_.size(), {});
    lists_[static_cast<std::size_t>(node_type)] = seeds;
    return lists_;
  }

private:
  std::vector<std::string> what_; // name of a seed in errors, by node type
  std::vector<std::int64_t> num_vertices_;
  std::vector<list> lists_;
};

/// Builder of a `hetero_subgraph` from the draws of hop after hop: see `hop_builder`.
template <device_policy Policy, vertex_id Vertex>
class hetero_builder {
  static constexpr memory_space space = Policy::space;

public:
  using builder_type = hop_builder<Policy, Vertex>;

  explicit hetero_builder(Policy policy = {}) : builder_(policy) {}

  /// Starts a batch in `out`; `out` and the seeds must live until `finish`.
  ///
  /// @shape  seeds [node types], one list of ids each
  /// @where  enqueues only
  /// @pre    seeds has one list per node type, with vertices of that type; not checked
  /// @throws precondition_error  if the number of seeds of a type, or of all types of a disjoint batch, does not fit
  ///                             31 bits
  /// @cost   O(S)
  void begin(hetero_schema const& schema, std::span<array_view<space, Vertex const> const> seeds,
             hetero_options const& options, hetero_subgraph<Policy, Vertex>& out) {
    out_ = &out;
    out.expand_ = options.expand;
    out.num_hops_ = 0;
    out.vertices_.resize(static_cast<std::size_t>(schema.num_node_types()));
    out.relations_.resize(static_cast<std::size_t>(schema.num_edge_types()));
    builder_.begin(options.expand, options.disjoint, out.vertices_.size(), out.relations_.size());
    for (std::size_t e = 0; e < out.relations_.size(); ++e) {
      auto& edges = out.relations_[e];
      edges.source_type = schema.source_type(static_cast<int>(e));
      edges.destination_type = schema.destination_type(static_cast<int>(e));
      builder_.set_relation(e, static_cast<std::size_t>(edges.source_type),
                            static_cast<std::size_t>(edges.destination_type), edges);
    }
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      builder_.set_seeds(t, seeds[t], builder_type::any_vertex, 0, out.vertices_[t]);
    }
    builder_.end_seeds();
  }

  /// Ends a hop: its new vertices are known, and the frontiers move on to the next hop.
  void end_hop() {
    builder_.end_hop();
    ++out_->num_hops_;
  }

  /// Completes the batch; not needed on hosts.
  ///
  /// @cost   waits for all that was enqueued
  void finish() { builder_.finish(); }

  /// Returns the builder of the same batch, which takes the draws of a hop and names types by number.
  [[nodiscard]] builder_type& typed() noexcept { return builder_; }

private:
  hetero_subgraph<Policy, Vertex>* out_ = nullptr;
  builder_type builder_;
};

/// Scratch memory of a heterogeneous sampler on one process, which samples one batch after the other; for one thread.
///
/// @cost   as `hop_worker`
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace = Policy::space>
class hetero_hop_worker {
  static constexpr memory_space space = Policy::space;

public:
  /// @param most_unread  see `enqueued_hop_draws`
  explicit hetero_hop_worker(Policy policy = {}, std::int64_t most_unread = std::int64_t{1} << 18)
      : policy_(policy), builder_(policy), draws_(policy, most_unread) {}

  /// Draws hop after hop; see `hetero_neighbor_sampler`.
  ///
  /// @shape  rules [edge types] · original [node types] · seeds [node types] · queries of all seeds, type after type,
  ///         or empty if the rule has none
  /// @pre    the options are valid, and seeds are vertices of their types; not checked
  void sample(hetero_view<GraphSpace, Vertex> graph, hetero_options const& options, std::vector<Rule> const& rules,
              std::vector<original_ids<GraphSpace>> const& original,
              std::span<array_view<space, Vertex const> const> seeds,
              array_view<space, typename Rule::query_type const> queries, sample_key key,
              hetero_subgraph<Policy, Vertex>& out) {
    auto const& schema = graph.schema();
    builder_.begin(schema, seeds, options, out);
    for (std::size_t hop = 0; hop < num_hops(options); ++hop) {
      relations_.clear();
      for (int e = 0; e < schema.num_edge_types(); ++e) {
        auto const type = static_cast<std::size_t>(schema.destination_type(e));
        relations_.push_back({.graph = graph.relation(e),
                              .destination_type = type,
                              .original = original[type],
                              .options = hop_of(options, hop, e),
                              .key = hop_key(key, static_cast<std::int64_t>(hop), e),
                              .rule = rules[static_cast<std::size_t>(e)]});
      }
      draws_.run(policy_.executor(), builder_.typed(), std::span(std::as_const(relations_)), queries, options.edge_ids);
      builder_.end_hop();
    }
    builder_.finish();
  }

private:
  Policy policy_;
  hetero_builder<Policy, Vertex> builder_;
  hop_draws<Policy, Vertex, Rule, GraphSpace> draws_;
  std::vector<relation_draw<GraphSpace, Vertex, Rule>> relations_; // of the hop
};

} // namespace glt::detail
