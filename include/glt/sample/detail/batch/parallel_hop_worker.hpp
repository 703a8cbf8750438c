// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/parallel_builder.hpp>
#include <glt/sample/detail/batch/parallel_draws.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace glt {

/// `hop_worker` for policies whose work is enqueued: draws hop after hop and waits for nothing but the sizes at the
/// end, and for those of a hop that takes all neighbours or may be large.
///
/// @cost   memory of the largest batch so far, by the bounds of its sizes
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace = Policy::space>
class parallel_hop_worker {
  static constexpr memory_space space = Policy::space;
  using graph_type = csr_view<GraphSpace, Vertex>;
  using request_type = detail::frontier_request<graph_type, Rule, space>;

public:
  /// @param most_unread  a hop that may have more edges reads its size, which takes less time than work and memory for
  ///                     the bound; not negative, fits 31 bits
  explicit parallel_hop_worker(Policy policy = {}, std::int64_t most_unread = std::int64_t{1} << 20)
      : policy_(policy), most_unread_(most_unread), builder_(policy), counts_(0, policy), offsets_(0, policy),
        sources_(0, policy) {}

  /// Draws hop after hop; see `neighbor_sampler`.
  ///
  /// @shape  seeds [S] · queries [S], or empty if the rule has none
  /// @pre    the options are valid; not checked
  /// @throws precondition_error  if a seed is no row of the graph, when all is drawn; `out` is empty then
  void sample(graph_type graph, neighbor_options const& options, Rule const& rule, original_ids<GraphSpace> original,
              array_view<space, Vertex const> seeds, array_view<space, typename Rule::query_type const> queries,
              sample_key key, sampled_subgraph<Policy, Vertex>& out) {
    auto const expected = expected_nodes(seeds.size(), options);
    if (options.disjoint) {
      builder_.begin_disjoint(seeds, options.expand, out, graph.num_rows(), expected);
    } else {
      builder_.begin(seeds, options.expand, out, graph.num_rows(), expected);
    }
    auto const ex = policy_.executor();
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      request_type const request{.graph = graph,
                                 .rule = rule,
                                 .options = hop_of(options, hop),
                                 .key = hop_key(key, static_cast<std::int64_t>(hop)),
                                 .original = original,
                                 .frontier = builder_.next_place().frontier,
                                 .nodes = builder_.nodes(),
                                 .trees = builder_.trees(),
                                 .queries = queries};
      counts_.resize(builder_.frontier_bound());
      offsets_.resize(builder_.frontier_bound() + 1);
      ex.for_each(counts_.size(), detail::count_frontier<request_type, space>{request, counts_.view()});
      ex.exclusive_scan(std::as_const(counts_).view(), offsets_.view());
      builder_.count_hop(std::as_const(offsets_).view());
      auto num_edges = detail::edges_bound<Rule>(builder_.frontier_bound(), request.options, most_unread_);
      if (num_edges > most_unread_) {
        num_edges = builder_.read_num_edges();
      }
      draw(request, num_edges, options.edge_ids);
      builder_.end_hop(std::as_const(sources_).view());
    }
    builder_.finish();
  }

private:
  void draw(request_type const& request, std::int64_t num_edges, bool edge_ids) {
    auto const put = builder_.make_room(num_edges, edge_ids);
    auto const ids = edge_ids ? builder_.edge_ids() : array_view<space, edge_id>{};
    auto const ex = policy_.executor();
    sources_.resize(num_edges);
    if (gives_all_in_order<Rule>(request.options)) { // the number of edges was read
      ex.for_each(builder_.frontier_bound(), detail::put_ends<space>{put});
      ex.for_each(num_edges, detail::read_whole_rows<request_type, space>{request, put, sources_.view(), ids});
    } else {
      ex.for_each(builder_.frontier_bound(),
                  detail::draw_frontier<request_type, space>{request, put, sources_.view(), ids});
    }
  }

  // The most vertices that come before the sizes of a hop are read.
  [[nodiscard]] std::int64_t expected_nodes(std::int64_t num_seeds, neighbor_options const& options) const noexcept {
    std::int64_t nodes = num_seeds;
    std::int64_t expanded = num_seeds;
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      auto const edges = detail::edges_bound<Rule>(expanded, hop_of(options, hop), most_unread_);
      if (edges > most_unread_) {
        break;
      }
      nodes += edges;
      expanded = options.expand == frontier::fresh ? edges : nodes;
    }
    return nodes;
  }

  Policy policy_;
  std::int64_t most_unread_;
  parallel_subgraph_builder<Policy, Vertex> builder_;
  buffer<Policy, edge_offset> counts_;
  buffer<Policy, edge_offset> offsets_;
  buffer<Policy, Vertex> sources_;
};

} // namespace glt
