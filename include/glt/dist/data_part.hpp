// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/feature_table.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/split.hpp>

namespace glt::detail {

/// Named list of vertices, such as the seeds of a training.
struct vertex_split {
  std::string name;                ///< such as "train", "valid" or "test"
  std::vector<global_id> vertices; ///< global ids (after partitioning)
};

/// Tensors, splits and times of a part's vertices of one type.
///
/// @shape  tensors of the part's vertices by local id, or none · times [rows] or empty · hot_tensors of hot vertices
template <device_policy Policy = device::cpu>
struct vertex_data {
  feature_table<Policy> tensors = feature_table<Policy>(0); ///< "x" is the matrix of features, "y" are the labels
  std::vector<vertex_split> splits{};
  buffer<Policy, std::int64_t> times{};
  buffer<Policy, global_id> hot_vertices{}; ///< vertices of other parts that this part needs most
  feature_table<Policy> hot_tensors = feature_table<Policy>(0);
};

/// Tensors, weights, times and link splits of a part's edges of one type.
///
/// @shape  tensors of the part's edges by position in the rows of the graph, or none · weights, times [E] or empty
template <device_policy Policy = device::cpu>
struct edge_data {
  feature_table<Policy> tensors = feature_table<Policy>(0);
  buffer<Policy, float> weights{};
  buffer<Policy, std::int64_t> times{};
  std::vector<link_split> links{}; ///< pairs in global ids
};

} // namespace glt::detail

namespace glt::dist {

/// One rank's part of a data set, before it is joined with the parts of other ranks by a `data_set`.
///
///     glt::feature_table<cpu> tensors(rows);
///     tensors.add("x", std::move(features)); // glt::feature_store<cpu, float>
///     glt::dist::data_part part(std::move(graph), {.tensors = std::move(tensors), .splits = {{"train", seeds}}});
///
/// @shape  vertices [node types] · edges [edge types]
template <device_policy Policy = device::cpu, vertex_id Vertex = global_id>
struct data_part {
  using vertex_split = detail::vertex_split;       ///< `name` and `vertices`, global ids (after partitioning)
  using vertex_data = detail::vertex_data<Policy>; ///< `tensors`, `splits`, `times`, and hot rows of a type
  using edge_data = detail::edge_data<Policy>;     ///< `tensors`, `weights`, `times` and `links` of a type

  hetero_part<Policy, Vertex> graph;
  std::vector<vertex_data> vertices;
  std::vector<edge_data> edges;

  data_part() = default;
  /// Takes over a part of a heterogeneous graph, with the data of each of its types, or of none.
  explicit data_part(hetero_part<Policy, Vertex> of, std::vector<vertex_data> of_vertices = {},
                     std::vector<edge_data> of_edges = {})
      : graph(std::move(of)), vertices(std::move(of_vertices)), edges(std::move(of_edges)) {
    vertices.resize(vertices.empty() ? graph.books.size() : vertices.size());
    edges.resize(edges.empty() ? graph.relations.size() : edges.size());
  }
  /// Takes over a part of a graph without types: one type of vertices, "node", and one of edges, "edge".
  explicit data_part(graph_part<Policy, Vertex> of, vertex_data of_vertices = {}, edge_data of_edges = {}) {
    graph.schema = {{{"node", of.book.num_vertices()}}, {{"node", "edge", "node"}}};
    graph.part = of.part;
    graph.books.push_back(std::move(of.book));
    graph.relations.push_back(std::move(of.graph));
    graph.original.push_back(std::move(of.original));
    vertices.push_back(std::move(of_vertices));
    edges.push_back(std::move(of_edges));
  }
};

} // namespace glt::dist
