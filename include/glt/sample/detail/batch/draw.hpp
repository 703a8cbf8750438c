// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/row_draws.hpp>
#include <glt/sample/detail/batch/team_draws.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

template <class Graph, class Request>
void check_request(Graph const& graph, Request const& request, std::int64_t num_offsets) {
  validate(request.options);
  if (num_offsets != request.rows.size() + 1) {
    throw precondition_error(message("sampling ", request.rows.size(), " rows with ", num_offsets,
                                     " offsets; give one more offset than rows"));
  }
  if (!request.original.empty() && request.original.size() != graph.num_rows()) {
    throw precondition_error(
        message(request.original.size(), " original ids for ", graph.num_rows(), " rows; give one per row or none"));
  }
  if (has_query<decltype(request.rule)> && request.queries.size() != request.rows.size()) {
    throw precondition_error(
        message(request.queries.size(), " queries for ", request.rows.size(), " rows; give one per row"));
  }
}

/// Counts the neighbours that `sample_neighbors` will write for every row, and sums the counts up.
///
/// @shape  counts [S], scratch, which on hosts holds the results of the rule's `find` · offsets [S + 1], written, from
///         0
/// @where  memory that `ex` reaches; enqueues and does not synchronise
/// @pre    every row is in [0, graph.num_rows()); not checked
/// @throws precondition_error  if counts is not [S] or offsets not [S + 1], or the request contradicts itself
/// @cost   O(S) for a rule that counts in O(1)
template <executor Executor, memory_space Space, memory_space GraphSpace, vertex_id Vertex, class Row,
          draw_rule<csr_view<GraphSpace, Vertex>> Rule>
  requires reaches<Executor, Space> && reaches<Executor, GraphSpace>
void count_neighbors(Executor const& ex, csr_view<GraphSpace, Vertex> graph,
                     hop_request<Space, Row, Rule, GraphSpace> const& request, array_view<Space, edge_offset> counts,
                     array_view<Space, edge_offset> offsets) {
  using graph_type = csr_view<GraphSpace, Vertex>;
  using request_type = hop_request<Space, Row, Rule, GraphSpace>;
  detail::check_request(graph, request, offsets.size());
  if (counts.size() != request.rows.size()) {
    throw precondition_error(detail::message("counting neighbours of ", request.rows.size(), " rows into ",
                                             counts.size(), " counts; give as many counts as rows"));
  }
  if constexpr (host_executor<Executor>) {
    ex.for_ranges(request.rows.size(), detail::rows_per_thread,
                  detail::count_rows<graph_type, request_type>{graph, request, counts});
    if constexpr (finds_in_rows<Rule, graph_type>) {
      ex.exclusive_scan(counts.size(), count_found<request_type>{request, counts}, offsets);
      return;
    }
  } else if constexpr (counts_by_team<Rule, graph_type>) {
    for_teams_by_size(ex, request.rows.size(), count_row_by_team<graph_type, request_type>{graph, request, counts});
  } else {
    ex.exclusive_scan(request.rows.size(), count_row<graph_type, request_type>{graph, request}, offsets);
    return;
  }
  ex.exclusive_scan(array_view<Space, edge_offset const>(counts), offsets);
}

/// Samples in-neighbours of every row by its rule.
///
/// The draws of a row depend on the key, the original id of its vertex and its query, not on its place in
/// `rows` or on the executor.
///
/// @shape  offsets [S + 1] of `count_neighbors` · sources [offsets[S]], written · edge_ids [offsets[S]],
///         written, or empty
/// @units  sources are numbered as the columns of the graph
/// @where  memory that `ex` reaches; enqueues and does not synchronise
/// @pre    every row is in [0, graph.num_rows()), offsets come from the same request, and a row has fewer than
///         2³¹ edges if `Vertex` has 32 bits; not checked
/// @throws precondition_error  if the sizes do not fit each other, or the options are wrong; on host executors also if
///                             sources is not [offsets[S]]
/// @cost   O(S · fanout) work for `uniform_rule`, no memory
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 2
template <executor Executor, memory_space Space, memory_space GraphSpace, vertex_id Vertex, class Row,
          draw_rule<csr_view<GraphSpace, Vertex>> Rule>
  requires reaches<Executor, Space> && reaches<Executor, GraphSpace>
void sample_neighbors(Executor const& ex, csr_view<GraphSpace, Vertex> graph,
                      hop_request<Space, Row, Rule, GraphSpace> const& request,
                      array_view<Space, edge_offset const> offsets, array_view<Space, Vertex> sources,
                      array_view<Space, edge_id> edge_ids, array_view<Space, edge_offset const> found = {}) {
  using graph_type = csr_view<GraphSpace, Vertex>;
  using request_type = hop_request<Space, Row, Rule, GraphSpace>;
  detail::check_request(graph, request, offsets.size());
  if constexpr (host_executor<Executor>) {
    if (offsets[request.rows.size()] != sources.size()) {
      throw precondition_error(detail::message("sampling ", offsets[request.rows.size()], " neighbours into ",
                                               sources.size(),
                                               " sources; give as many sources as the last offset says"));
    }
  }
  if (!edge_ids.empty() && edge_ids.size() != sources.size()) {
    throw precondition_error(detail::message("sampling into ", sources.size(), " sources and ", edge_ids.size(),
                                             " edge ids; give as many ids as sources, or none"));
  }
  if constexpr (host_executor<Executor>) {
    ex.for_ranges(request.rows.size(), detail::rows_per_thread,
                  detail::sample_rows<graph_type, request_type>{graph, request, offsets, sources, edge_ids, found});
  } else if (gives_all_in_order(request.rule, request.options)) {
    ex.for_each(sources.size(),
                read_edge_of_rows<graph_type, request_type>{graph, request, offsets, sources, edge_ids});
  } else {
    draw_rows<Rule, graph_type>(ex, request.options, request.rows.size(),
                                sample_row<graph_type, request_type>{graph, request, offsets, sources, edge_ids});
  }
}

/// Draws of one hop for its frontier.
///
/// @shape  offsets [frontier + 1], from 0 · sources [offsets[frontier]] · edge_ids the same, or empty
/// @units  sources are ids of the sampled graph
template <device_policy Policy, vertex_id Vertex>
struct hop_sample {
  buffer<Policy, edge_offset> offsets;
  buffer<Policy, Vertex> sources;
  buffer<Policy, edge_id> edge_ids;
};

/// Scratch memory to count and sample the neighbours of a list of rows in one call; reusable.
template <device_policy Policy>
class hop_drawer {
  static constexpr memory_space space = Policy::space;

public:
  explicit hop_drawer(Policy policy = {}) : policy_(policy), counts_(0, policy) {}

  /// Writes the draws for every row of the request, in that order; see `sample_neighbors`.
  ///
  /// @shape  out.offsets [S + 1], written, with sources and, on request, edge ids
  /// @pre    every row is in [0, graph.num_rows()); not checked
  /// @throws precondition_error  as `sample_neighbors`
  /// @cost   O(S · fanout), and one copy of the number of edges to the host if the policy is not a host policy;
  ///         allocates only while the hop is larger than any before
  template <memory_space GraphSpace, vertex_id Vertex, class Row, class Rule>
  void draw(csr_view<GraphSpace, Vertex> graph, hop_request<space, Row, Rule, GraphSpace> const& request, bool edge_ids,
            hop_sample<Policy, Vertex>& out) {
    draw(policy_.executor(), graph, request, edge_ids, out);
  }

  /// Draws on another executor.
  template <executor Executor, memory_space GraphSpace, vertex_id Vertex, class Row, class Rule>
  void draw(Executor const& ex, csr_view<GraphSpace, Vertex> graph,
            hop_request<space, Row, Rule, GraphSpace> const& request, bool edge_ids, hop_sample<Policy, Vertex>& out) {
    auto const num_rows = request.rows.size();
    detail::adopt_policy(policy_, out.offsets, out.sources, out.edge_ids);
    out.offsets.resize(num_rows + 1);
    if constexpr (std::is_same_v<Executor, exec::sequential> && requires {
                    request.rule.count_and_pick(graph, 0, request.query(0), request.options, request.key, 0,
                                                out.sources.data());
                  }) {
      draw_in_one_pass(graph, request, edge_ids, out);
      return;
    }
    counts_.resize(num_rows);
    count_neighbors(ex, graph, request, counts_.view(), out.offsets.view());
    auto const num_edges = read_element(policy_, std::as_const(out.offsets).view(), num_rows);
    out.sources.resize(num_edges);
    out.edge_ids.resize(edge_ids ? num_edges : 0);
    sample_neighbors(ex, graph, request, std::as_const(out.offsets).view(), out.sources.view(), out.edge_ids.view(),
                     std::as_const(counts_).view());
  }

private:
  template <class Graph, class Request, class Sample>
  static void draw_in_one_pass(Graph const& graph, Request const& request, bool edge_ids, Sample& out) {
    check_request(graph, request, out.offsets.size());
    out.offsets[0] = 0;
    out.sources.clear();
    out.edge_ids.clear();
    for (std::int64_t i = 0; i < request.rows.size(); ++i) {
      look_ahead(graph, request, i, request.rows.size());
      std::int64_t const row = request.rows[i];
      auto const first = out.offsets[i];
      out.sources.resize(first + graph.degree(row));
      auto const count = request.rule.count_and_pick(graph, row, request.query(i), request.options, request.key,
                                                     request.subject(i), out.sources.data() + first);
      out.sources.resize(first + count);
      out.edge_ids.resize(edge_ids ? first + count : 0);
      read_picked(graph, row, count, out.sources.data() + first, edge_ids ? out.edge_ids.data() + first : nullptr);
      out.offsets[i + 1] = first + count;
    }
  }

  Policy policy_;
  buffer<Policy, edge_offset> counts_;
};

} // namespace glt::detail
