// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace glt {

namespace detail {

template <memory_space Space, class Query>
struct query_of_tree {
  array_view<Space, Query const> of_seeds;
  array_view<Space, local_id const> trees;
  array_view<Space, Query> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = of_seeds[trees[i]]; }
};

} // namespace detail

/// The queries of a frontier: every vertex inherits that of the seed of its tree; reusable.
template <device_policy Policy, class Rule>
class inherited_queries {
  using query_type = typename Rule::query_type;

public:
  explicit inherited_queries(Policy policy = {}) : policy_(policy), queries_(0, policy) {}

  /// @shape  of_seeds [S] · trees [frontier] → [frontier]; empty if the rule has no queries
  /// @cost   O(frontier)
  [[nodiscard]] array_view<Policy::space, query_type const>
  of(array_view<Policy::space, query_type const> of_seeds, array_view<Policy::space, local_id const> trees) {
    if constexpr (has_query<Rule>) {
      queries_.resize(trees.size());
      policy_.executor().for_each(
          trees.size(), detail::query_of_tree<Policy::space, query_type>{of_seeds, trees, queries_.view()});
    }
    return queries_.view();
  }

private:
  Policy policy_;
  buffer<Policy, query_type> queries_;
};

/// Samples one batch after the other on one process; the scratch memory of a sampler, for one thread.
///
/// @cost   memory of the largest batch so far: the table of `first_seen_numbering`, and the draws of a hop
template <device_policy Policy, vertex_id Vertex, class Rule>
class hop_worker {
  static constexpr memory_space space = Policy::space;

public:
  /// Draws hop after hop; see `neighbor_sampler`.
  ///
  /// @shape  seeds [S] · queries [S], or empty if the rule has none
  /// @pre    the options are valid, and seeds are rows of the graph; not checked
  template <executor Executor, memory_space GraphSpace>
  void sample(Executor const& ex, csr_view<GraphSpace, Vertex> graph, neighbor_options const& options,
              Rule const& rule, std::type_identity_t<original_ids<GraphSpace>> original,
              array_view<space, Vertex const> seeds, array_view<space, typename Rule::query_type const> queries,
              sample_key key, sampled_subgraph<Policy, Vertex>& out) {
    if (options.disjoint) {
      builder_.begin_disjoint(seeds, options.expand, out);
    } else {
      builder_.begin(seeds, options.expand, out);
    }
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      hop_request<space, Vertex, Rule, GraphSpace> const request{
          .rows = builder_.next_frontier(),
          .original = original,
          .options = hop_of(options, hop),
          .key = hop_key(key, static_cast<std::int64_t>(hop)),
          .rule = rule,
          .queries = queries_.of(queries, builder_.next_trees())};
      drawer_.draw(ex, graph, request, options.edge_ids, drawn_);
      builder_.add_hop(drawn_);
    }
  }

private:
  subgraph_builder<Policy, Vertex> builder_;
  inherited_queries<Policy, Rule> queries_;
  hop_drawer<Policy> drawer_;
  hop_sample<Policy, Vertex> drawn_;
};

} // namespace glt
