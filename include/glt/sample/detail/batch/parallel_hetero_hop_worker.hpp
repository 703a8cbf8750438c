// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/parallel_draws.hpp>
#include <glt/sample/detail/batch/parallel_hetero_builder.hpp>
#include <glt/sample/detail/batch/parallel_hop_place.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glt {

/// `hetero_hop_worker` for policies whose work is enqueued: draws hop after hop and waits for nothing but the sizes at
/// the end, and once for those of a hop in which an edge type takes all neighbours or may have many edges.
///
/// @cost   memory of the largest batch so far, by the bounds of its sizes
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace = Policy::space>
class parallel_hetero_hop_worker {
  static constexpr memory_space space = Policy::space;
  using graph_type = csr_view<GraphSpace, Vertex>;
  using request_type = detail::frontier_request<graph_type, Rule, space>;

public:
  /// @param most_unread  a hop in which an edge type may have more edges reads its sizes, which takes less time than
  ///                     work and memory for the bound; not negative, fits 31 bits
  explicit parallel_hetero_hop_worker(Policy policy = {}, std::int64_t most_unread = std::int64_t{1} << 18)
      : policy_(policy), most_unread_(most_unread), builder_(policy), counts_(0, policy), sources_(0, policy) {}

  /// Draws hop after hop; see `hetero_neighbor_sampler`.
  ///
  /// @shape  as `hetero_hop_worker`
  /// @pre    the options are valid, and seeds are vertices of their types; not checked
  void sample(hetero_view<GraphSpace, Vertex> graph, hetero_options const& options, std::vector<Rule> const& rules,
              std::vector<original_ids<GraphSpace>> const& original,
              std::span<array_view<space, Vertex const> const> seeds,
              array_view<space, typename Rule::query_type const> queries, sample_key key,
              hetero_subgraph<Policy, Vertex>& out) {
    auto const num_relations = graph.schema().num_edge_types();
    builder_.begin(graph.schema(), seeds, options, out);
    bounds_.resize(static_cast<std::size_t>(num_relations));
    while (offsets_.size() < bounds_.size()) {
      offsets_.emplace_back(0, policy_);
    }
    for (std::size_t hop = 0; hop < num_hops(options); ++hop) {
      auto const request_of = [&](int e) {
        auto const type = graph.schema().destination_type(e);
        return request_type{.graph = graph.relation(e),
                            .rule = rules[static_cast<std::size_t>(e)],
                            .options = hop_of(options, hop, e),
                            .key = hop_key(key, static_cast<std::int64_t>(hop), e),
                            .original = original[static_cast<std::size_t>(type)],
                            .frontier = builder_.frontier_of(type),
                            .nodes = builder_.nodes(type),
                            .trees = builder_.trees(type),
                            .queries = queries};
      };
      bool many = false;
      for (int e = 0; e < num_relations; ++e) {
        auto const rows = builder_.frontier_bound(graph.schema().destination_type(e));
        auto& bound = bounds_[static_cast<std::size_t>(e)];
        bound = detail::edges_bound<Rule>(rows, hop_of(options, hop, e), most_unread_);
        many = many || bound > most_unread_;
        if (bound > 0) {
          count(e, rows, request_of(e));
        }
      }
      if (many) {
        builder_.read_hop();
      }
      for (int e = 0; e < num_relations; ++e) {
        auto const bound = bounds_[static_cast<std::size_t>(e)];
        if (bound > 0) {
          auto const num_edges = many ? builder_.num_edges_read(e) : bound;
          auto const put = builder_.make_room(e, num_edges, options.edge_ids);
          sources_.resize(num_edges);
          draw(e, builder_.frontier_bound(graph.schema().destination_type(e)), request_of(e), put, options.edge_ids);
        } else {
          builder_.skip_relation(e);
        }
      }
      builder_.end_hop();
    }
    builder_.finish();
  }

private:
  void count(int edge_type, std::int64_t rows, request_type const& request) {
    auto const ex = policy_.executor();
    auto& offsets = offsets_[static_cast<std::size_t>(edge_type)];
    counts_.resize(rows);
    offsets.resize(rows + 1);
    ex.for_each(rows, detail::count_frontier<request_type, space>{request, counts_.view()});
    ex.exclusive_scan(std::as_const(counts_).view(), offsets.view());
    builder_.count_relation(edge_type, std::as_const(offsets).view());
  }

  void draw(int edge_type, std::int64_t rows, request_type const& request,
            detail::put_destinations<space> const& put, bool edge_ids) {
    policy_.executor().for_each(rows, detail::draw_frontier<request_type, space>{
                                          request, put, sources_.view(),
                                          edge_ids ? builder_.edge_ids(edge_type) : array_view<space, edge_id>{}});
    builder_.number_sources(edge_type, std::as_const(sources_).view());
  }

  Policy policy_;
  std::int64_t most_unread_;
  parallel_hetero_builder<Policy, Vertex> builder_;
  std::vector<std::int64_t> bounds_;                // of the edges that a hop draws, by edge type
  std::vector<buffer<Policy, edge_offset>> offsets_; // by edge type
  buffer<Policy, edge_offset> counts_;
  buffer<Policy, Vertex> sources_;
};

} // namespace glt
