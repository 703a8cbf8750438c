// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/row_search.hpp>

#include <cstdint>
#include <utility>

namespace glt {

namespace detail {

template <class Graph, memory_space Space>
struct copy_row {
  Graph graph;
  array_view<Space, typename Graph::vertex_type const> vertices;
  std::int64_t first_vertex;
  std::int64_t first_edge;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, typename Graph::vertex_type> sources;
  array_view<Space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const shift = graph.offset(vertices[i] - first_vertex) + first_edge - offsets[i];
    for (auto e = offsets[i]; e < offsets[i + 1]; ++e) {
      sources[e] = graph.source(e + shift);
    }
    if (!edge_ids.empty()) {
      for (auto e = offsets[i]; e < offsets[i + 1]; ++e) {
        edge_ids[e] = graph.id_of_edge(e + shift);
      }
    }
  }
};

// What counts and copies for threads that do one row, and then one edge each.
template <class Graph, memory_space Space>
struct count_full_row {
  Graph graph;
  array_view<Space, typename Graph::vertex_type const> vertices;
  std::int64_t first_vertex;
  array_view<Space, edge_offset> counts;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { counts[i] = graph.degree(vertices[i] - first_vertex); }
};

template <class Graph, memory_space Space>
struct copy_full_edge {
  Graph graph;
  array_view<Space, typename Graph::vertex_type const> vertices;
  std::int64_t first_vertex;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, typename Graph::vertex_type> sources;
  array_view<Space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const i = row_of_edge(offsets, e);
    auto const position = graph.offset(vertices[i] - first_vertex) + e - offsets[i];
    sources[e] = graph.source(position);
    if (!edge_ids.empty()) {
      edge_ids[e] = graph.id_of_edge(position);
    }
  }
};

} // namespace detail

/// Copies the whole rows of a list of vertices, edges in their order: a hop in which everything is drawn.
///
/// Row r holds the in-edges of vertex `first_vertex` + r.
///
/// @shape  vertices [S] · out.offsets [S + 1], written, with sources and, if asked for, edge ids
/// @pre    every vertex is in [first_vertex, first_vertex + graph.num_rows()); not checked
/// @cost   O(S + edges), and one copy of the number of edges to the host where the policy is not of the host; allocates
///         only while the hop is larger than any before
template <device_policy Policy, memory_space GraphSpace, vertex_id Vertex>
void copy_full_rows(Policy const& policy, csr_view<GraphSpace, Vertex> graph,
                    array_view<Policy::space, Vertex const> vertices, std::int64_t first_vertex, bool edge_ids,
                    hop_sample<Policy, Vertex>& out) {
  using graph_type = csr_view<GraphSpace, Vertex>;
  auto const ex = policy.executor();
  detail::take_from(policy, out.offsets);
  detail::take_from(policy, out.sources);
  detail::take_from(policy, out.edge_ids);
  out.offsets.resize(vertices.size() + 1);
  auto const offsets = std::as_const(out.offsets).view();
  if constexpr (host_policy<Policy>) {
    out.offsets[0] = 0;
    for (std::int64_t i = 0; i < vertices.size(); ++i) {
      out.offsets[i + 1] = out.offsets[i] + graph.degree(vertices[i] - first_vertex);
    }
  } else {
    buffer<Policy, edge_offset> counts(vertices.size(), policy);
    ex.for_each(vertices.size(), detail::count_full_row<graph_type, Policy::space>{graph, vertices, first_vertex,
                                                                                   counts.view()});
    ex.exclusive_scan(std::as_const(counts).view(), out.offsets.view());
  }
  auto const num_edges = read_element(policy, offsets, vertices.size());
  out.sources.resize(num_edges);
  out.edge_ids.resize(edge_ids ? num_edges : 0);
  if constexpr (host_policy<Policy>) {
    ex.for_each(vertices.size(),
                detail::copy_row<graph_type, Policy::space>{graph, vertices, first_vertex, 0, offsets,
                                                            out.sources.view(), out.edge_ids.view()});
  } else {
    ex.for_each(num_edges, detail::copy_full_edge<graph_type, Policy::space>{graph, vertices, first_vertex, offsets,
                                                                             out.sources.view(), out.edge_ids.view()});
  }
}

/// The same for a piece of one row: `num_edges` edges from the `first_edge`th on.
///
/// @pre    the row has first_edge + num_edges edges or more; not checked
template <host_policy Policy, vertex_id Vertex>
void copy_row_piece(csr_view<Policy::space, Vertex> graph, array_view<Policy::space, Vertex const> vertex,
                    std::int64_t first_vertex, std::int64_t first_edge, std::int64_t num_edges, bool edge_ids,
                    hop_sample<Policy, Vertex>& out) {
  out.offsets.resize(2);
  out.offsets[0] = 0;
  out.offsets[1] = num_edges;
  out.sources.resize(num_edges);
  out.edge_ids.resize(edge_ids ? num_edges : 0);
  detail::copy_row<csr_view<Policy::space, Vertex>, Policy::space>{
      graph, vertex, first_vertex, first_edge, std::as_const(out.offsets).view(), out.sources.view(),
      out.edge_ids.view()}(0);
}

} // namespace glt
