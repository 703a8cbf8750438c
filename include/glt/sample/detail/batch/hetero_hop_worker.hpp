// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hetero_builder.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/hop_worker.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glt {

/// Samples one heterogeneous batch after the other on one process; the scratch memory of a sampler, for one thread.
///
/// @cost   memory of the largest batch so far: the tables of `first_seen_numbering`, and the draws of a relation
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace = Policy::space>
class hetero_hop_worker {
  static constexpr memory_space space = Policy::space;

public:
  explicit hetero_hop_worker(Policy policy = {}) : drawer_(std::move(policy)) {}

  /// Draws hop after hop; see `hetero_neighbor_sampler`.
  ///
  /// @shape  rules [edge types] · original [node types] · seeds [node types] · queries of all seeds, type after type, or
  ///         empty if the rule has none
  /// @pre    the options are valid, and seeds are vertices of their types; not checked
  void sample(hetero_view<GraphSpace, Vertex> graph, hetero_options const& options, std::vector<Rule> const& rules,
              std::vector<original_ids<GraphSpace>> const& original,
              std::span<array_view<space, Vertex const> const> seeds,
              array_view<space, typename Rule::query_type const> queries, sample_key key,
              hetero_subgraph<Policy, Vertex>& out) {
    auto const& schema = graph.schema();
    builder_.begin(schema, seeds, options, out);
    for (std::size_t hop = 0; hop < num_hops(options); ++hop) {
      for (int e = 0; e < schema.num_edge_types(); ++e) {
        auto const type = schema.destination_type(e);
        auto const rows = builder_.current_frontier(type);
        auto const draw = hop_of(options, hop, e);
        if (draw.fanout == 0 || rows.empty()) {
          builder_.skip_relation(e);
          continue;
        }
        hop_request<space, Vertex, Rule, GraphSpace> const request{
            .rows = rows,
            .original = original[static_cast<std::size_t>(type)],
            .options = draw,
            .key = hop_key(key, static_cast<std::int64_t>(hop), e),
            .rule = rules[static_cast<std::size_t>(e)],
            .queries = queries_.of(queries, builder_.current_trees(type))};
        drawer_.draw(graph.relation(e), request, options.edge_ids, drawn_);
        builder_.add_relation(e, drawn_);
      }
      builder_.end_hop();
    }
  }

private:
  hetero_builder<Policy, Vertex> builder_;
  inherited_queries<Policy, Rule> queries_;
  hop_drawer<Policy> drawer_;
  hop_sample<Policy, Vertex> drawn_;
};

} // namespace glt
