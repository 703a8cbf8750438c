// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hetero_builder.hpp>
#include <glt/sample/detail/batch/hop_draws.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

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
