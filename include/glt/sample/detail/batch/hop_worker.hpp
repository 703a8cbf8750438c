// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/frontier_draws.hpp>
#include <glt/sample/detail/batch/hop_draws.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/inherited_queries.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Scratch memory of a sampler on one process, which samples one batch after the other; for one thread.
///
/// @cost   memory of the largest batch so far; if the policy is not a host policy, waits for the sizes at the end and
///         of each hop that takes all neighbours or may be large
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace = Policy::space>
class hop_worker {
  static constexpr memory_space space = Policy::space;

public:
  /// @param most_unread  see `enqueued_hop_draws`
  explicit hop_worker(Policy policy = {}, std::int64_t most_unread = std::int64_t{1} << 20)
      : most_unread_(most_unread), builder_(policy), draws_(policy, most_unread) {}

  /// Draws hop after hop; see `neighbor_sampler`.
  ///
  /// @shape  seeds [S] · queries [S], or empty if the rule has none
  /// @pre    the options are valid; not checked
  /// @throws precondition_error  after all draws, if a seed is not a row of the graph; `out` is then empty
  template <executor Executor>
  void sample(Executor const& ex, csr_view<GraphSpace, Vertex> graph, neighbor_options const& options, Rule const& rule,
              std::type_identity_t<original_ids<GraphSpace>> original, array_view<space, Vertex const> seeds,
              array_view<space, typename Rule::query_type const> queries, sample_key key,
              sampled_subgraph<Policy, Vertex>& out) {
    auto const expected = expected_nodes(seeds.size(), options);
    if (options.disjoint) {
      builder_.begin_disjoint(seeds, options.expand, out, graph.num_rows(), expected);
    } else {
      builder_.begin(seeds, options.expand, out, graph.num_rows(), expected);
    }
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      relation_draw<GraphSpace, Vertex, Rule> const relation{.graph = graph,
                                                             .destination_type = 0,
                                                             .original = original,
                                                             .options = hop_of(options, hop),
                                                             .key = hop_key(key, static_cast<std::int64_t>(hop)),
                                                             .rule = rule};
      draws_.run(ex, builder_.typed(), std::span(&relation, 1), queries, options.edge_ids);
      builder_.end_hop();
    }
    builder_.finish();
  }

private:
  // Returns the most vertices that are added before the sizes of a hop are read.
  [[nodiscard]] std::int64_t expected_nodes(std::int64_t num_seeds, neighbor_options const& options) const noexcept {
    std::int64_t nodes = num_seeds;
    std::int64_t expanded = num_seeds;
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      auto const edges = edges_bound<Rule>(expanded, hop_of(options, hop), most_unread_);
      if (edges > most_unread_) {
        break;
      }
      nodes += edges;
      expanded = options.expand == frontier::fresh ? edges : nodes;
    }
    return nodes;
  }

  std::int64_t most_unread_;
  subgraph_builder<Policy, Vertex> builder_;
  hop_draws<Policy, Vertex, Rule, GraphSpace> draws_;
};

} // namespace glt::detail
