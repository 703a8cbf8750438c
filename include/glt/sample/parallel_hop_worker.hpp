// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/random.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/neighbors.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/parallel_batch.hpp>
#include <glt/sample/parallel_builder.hpp>
#include <glt/sample/rule.hpp>
#include <glt/sample/subgraph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace glt {

namespace detail {

/// What a hop draws for the frontier of a batch; vertex i of it is found where the sizes are.
template <class Graph, class Rule, memory_space Space, class Frontier = frontier_place<Space>>
struct frontier_request {
  using vertex = typename Graph::vertex_type;
  using query_type = typename Rule::query_type;

  Graph graph;
  Rule rule;
  hop_options options;
  random_key key;
  original_ids<Graph::space> original;
  Frontier frontier;
  array_view<Space, vertex const> nodes;
  array_view<Space, local_id const> trees;
  array_view<Space, query_type const> queries; // of the seeds

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t i) const { return nodes[frontier.first() + i]; }
  [[nodiscard]] GLT_HOST_DEVICE query_type query(std::int64_t i) const {
    if constexpr (has_query<Rule>) {
      return queries[trees[frontier.first() + i]];
    } else {
      return {};
    }
  }
  [[nodiscard]] GLT_HOST_DEVICE std::uint64_t subject(std::int64_t row) const {
    return static_cast<std::uint64_t>(original.empty() ? row : original[row]);
  }
  // A seed that is no vertex has no edges; it is reported when the batch is complete.
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(std::int64_t i) const {
    if (i >= frontier.size()) {
      return 0;
    }
    auto const r = row(i);
    return r < 0 || r >= graph.num_rows() ? 0 : rule.count(graph, r, query(i), options, key, subject(r));
  }
  GLT_HOST_DEVICE void pick(std::int64_t i, std::int64_t count, vertex* out, edge_id* edge_ids) const {
    auto const r = row(i);
    rule.pick(graph, r, query(i), options, key, subject(r), count, out);
    read_picked(graph, r, count, out, edge_ids);
  }
};

template <class Request, memory_space Space>
struct count_frontier {
  Request request;
  array_view<Space, edge_offset> counts;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { counts[i] = request.count(i); }
};

template <class Request, memory_space Space>
struct draw_frontier {
  Request request;
  put_destinations<Space> put;
  array_view<Space, typename Request::vertex> sources; // of the hop
  array_view<Space, edge_id> edge_ids;                 // of the batch
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const first = put.drawn[i];
    auto const count = put.drawn[i + 1] - first;
    if (count > 0) {
      auto const before = put.frontier.sizes.edges(put.frontier.hop);
      request.pick(i, count, sources.data() + first, edge_ids.empty() ? nullptr : edge_ids.data() + before + first);
    }
    put(i);
  }
};

// Edge e of a hop whose rows give all their edges in order: a thread each, however long the rows are.
template <class Request, memory_space Space>
struct read_whole_rows {
  Request request;
  put_destinations<Space> put;
  array_view<Space, typename Request::vertex> sources; // of the hop
  array_view<Space, edge_id> edge_ids;                 // of the batch
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    std::int64_t i = 0;
    for (auto last = put.drawn.size() - 2; i < last;) { // the first row that ends behind e
      auto const middle = i + (last - i) / 2;
      if (put.drawn[middle + 1] > e) {
        last = middle;
      } else {
        i = middle + 1;
      }
    }
    auto const& graph = request.graph;
    auto const position = graph.offset(request.row(i)) + e - put.drawn[i];
    sources[e] = graph.source(position);
    if (!edge_ids.empty()) {
      edge_ids[put.frontier.sizes.edges(put.frontier.hop) + e] = graph.id_of_edge(position);
    }
    put.put_edge(e, i);
  }
};

template <memory_space Space>
struct put_ends {
  put_destinations<Space> put;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { put.put_end(i); }
};

} // namespace detail

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
  /// A hop that may have more edges reads its size, which takes less time than work and memory for the bound.
  static constexpr std::int64_t most_unread = std::int64_t{1} << 20;

  explicit parallel_hop_worker(Policy policy = {})
      : policy_(policy), builder_(policy), counts_(0, policy), offsets_(0, policy), sources_(0, policy) {}

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
                                 .frontier = builder_.next_place(),
                                 .nodes = builder_.nodes(),
                                 .trees = builder_.trees(),
                                 .queries = queries};
      counts_.resize(builder_.frontier_bound());
      offsets_.resize(builder_.frontier_bound() + 1);
      ex.for_each(counts_.size(), detail::count_frontier<request_type, space>{request, counts_.view()});
      ex.exclusive_scan(std::as_const(counts_).view(), offsets_.view());
      builder_.count_hop(std::as_const(offsets_).view());
      auto num_edges = bound_of(builder_.frontier_bound(), request.options);
      if (num_edges > most_unread) {
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

  // The most edges of a hop; above `most_unread` any number stands for many.
  [[nodiscard]] static std::int64_t bound_of(std::int64_t num_rows, hop_options options) noexcept {
    auto const each = largest_count<Rule>(options);
    return num_rows > 0 && (each < 0 || each > most_unread) ? most_unread + 1 : num_rows * each;
  }

  // The most vertices that come before the sizes of a hop are read.
  [[nodiscard]] static std::int64_t expected_nodes(std::int64_t num_seeds, neighbor_options const& options) noexcept {
    std::int64_t nodes = num_seeds;
    std::int64_t expanded = num_seeds;
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      auto const edges = bound_of(expanded, hop_of(options, hop));
      if (edges > most_unread) {
        break;
      }
      nodes += edges;
      expanded = options.expand == frontier::fresh ? edges : nodes;
    }
    return nodes;
  }

  Policy policy_;
  parallel_subgraph_builder<Policy, Vertex> builder_;
  buffer<Policy, edge_offset> counts_;
  buffer<Policy, edge_offset> offsets_;
  buffer<Policy, Vertex> sources_;
};

} // namespace glt
