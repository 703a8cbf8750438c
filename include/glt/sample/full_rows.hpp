// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/draw.hpp>

#include <cstdint>
#include <utility>

namespace glt {

namespace detail {

template <class Graph, class Vertex>
struct copy_row {
  Graph graph;
  array_view<Graph::space, Vertex const> vertices;
  std::int64_t first_vertex;
  std::int64_t first_edge;
  array_view<Graph::space, edge_offset const> offsets;
  array_view<Graph::space, Vertex> sources;
  array_view<Graph::space, edge_id> edge_ids;

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

} // namespace detail

/// Copies the whole rows of a list of vertices, edges in their order: a hop in which everything is drawn.
///
/// Row r holds the in-edges of vertex `first_vertex` + r.
///
/// @shape  vertices [S] · out.offsets [S + 1], written, with sources and, if asked for, edge ids
/// @pre    every vertex is in [first_vertex, first_vertex + graph.num_rows()); not checked
/// @cost   O(S + edges); allocates only while the hop is larger than any before
template <device_policy Policy, vertex_id Vertex>
  requires(host_accessible(Policy::space))
void copy_full_rows(Policy const& policy, csr_view<Policy::space, Vertex> graph,
                    array_view<Policy::space, Vertex const> vertices, std::int64_t first_vertex, bool edge_ids,
                    hop_sample<Policy, Vertex>& out) {
  out.offsets.resize(vertices.size() + 1);
  out.offsets[0] = 0;
  for (std::int64_t i = 0; i < vertices.size(); ++i) {
    out.offsets[i + 1] = out.offsets[i] + graph.degree(vertices[i] - first_vertex);
  }
  out.sources.resize(out.offsets[vertices.size()]);
  out.edge_ids.resize(edge_ids ? out.sources.size() : 0);
  policy.executor().for_each(vertices.size(), detail::copy_row<csr_view<Policy::space, Vertex>, Vertex>{
                                                  graph, vertices, first_vertex, 0, std::as_const(out.offsets).view(),
                                                  out.sources.view(), out.edge_ids.view()});
}

/// The same for a piece of one row: `num_edges` edges from the `first_edge`th on.
///
/// @pre    the row has first_edge + num_edges edges or more; not checked
template <device_policy Policy, vertex_id Vertex>
  requires(host_accessible(Policy::space))
void copy_row_piece(csr_view<Policy::space, Vertex> graph, array_view<Policy::space, Vertex const> vertex,
                    std::int64_t first_vertex, std::int64_t first_edge, std::int64_t num_edges, bool edge_ids,
                    hop_sample<Policy, Vertex>& out) {
  out.offsets.resize(2);
  out.offsets[0] = 0;
  out.offsets[1] = num_edges;
  out.sources.resize(num_edges);
  out.edge_ids.resize(edge_ids ? num_edges : 0);
  detail::copy_row<csr_view<Policy::space, Vertex>, Vertex>{
      graph, vertex, first_vertex, first_edge, std::as_const(out.offsets).view(), out.sources.view(),
      out.edge_ids.view()}(0);
}

} // namespace glt
