// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/neighbors.hpp>
#include <glt/sample/detail/batch/row_draws.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

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
