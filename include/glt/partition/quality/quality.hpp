// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/quality/partition_quality.hpp>

namespace glt {

/// Measures an assignment of vertices to parts: whole, by part and, if types are given, by type of the vertex.
///
/// An edge belongs to the part of its row. All threads of the executor share the rows of a part.
///
/// @shape  part_of [V], in [0, num_parts)
/// @pre    sources are in [0, V); not checked, see `validate`
/// @throws precondition_error  if num_parts < 1, the graph is not square, part_of or type_of does not have one element
///                             per row or names a part or type that does not exist, or a split names a vertex that does
///                             not exist
/// @cost   O(V + E + P² · types) work; 12 to 16 bytes a vertex and P² + O(P · types) counts beside the input
template <vertex_id Vertex, reaches<memory_space::host> Executor = exec::sequential>
[[nodiscard]] partition_quality
measure_partition(csr_view<memory_space::host, Vertex> graph, host_view<local_id const> part_of, int num_parts,
                  partition_quality::options const& options = {}, Executor const& ex = {}) {
  detail::check_partition(graph, num_parts);
  if (part_of.size() != graph.num_rows()) {
    throw precondition_error(detail::message("parts of ", part_of.size(), " vertices for a graph of ", graph.num_rows(),
                                             " rows; give one part per vertex"));
  }
  auto const& types = options.type_of;
  if (!types.empty() && types.size() != graph.num_rows()) {
    throw precondition_error(detail::message("types of ", types.size(), " vertices for a graph of ", graph.num_rows(),
                                             " rows; give one type per vertex or none"));
  }
  if (types.empty() && graph.num_rows() > 0 && !options.types.empty()) {
    throw precondition_error(
        detail::message("names of ", options.types.size(), " types but no type of a vertex; give both or neither"));
  }
  for (std::int64_t v = 0; v < types.size(); ++v) {
    if (types[v] < 0 || types[v] >= std::ssize(options.types)) {
      throw precondition_error(detail::message("type of vertex ", v, " is ", types[v], ", outside [0, ",
                                               options.types.size(), "), the types that have a name"));
    }
  }
  auto const num_types = std::max<std::size_t>(options.types.size(), 1);
  detail::measured_vertices<Vertex> vertices(part_of, num_parts, 0, num_types, types);
  detail::quality_pass pass(num_parts, num_types);
  for (int part = 0; part < num_parts; ++part) {
    pass.count_edges(graph, vertices, vertices, part, ex);
  }
  pass.count_vertices(vertices);
  pass.count_splits(vertices, options.splits, "");
  return std::move(pass).result(options.types);
}

/// Measures an assignment of the vertices of every type to parts: whole, by part, by node type and by edge type.
///
/// A vertex is in the halo of a part once, even if edges of several types start there.
///
/// @shape  part_of [node types], each [V of the type], in [0, num_parts)
/// @pre    sources are vertices of their type; not checked, see `validate`
/// @throws precondition_error  if num_parts < 1, part_of or the splits are not one per node type, or naming the type:
///                             part_of does not have one element per vertex or names a part that does not exist, or a
///                             split names a vertex that does not exist
/// @cost   O(V + E + P² · edge types) work; 12 to 16 bytes a vertex and P² + O(P · types) counts beside the input
template <vertex_id Vertex, reaches<memory_space::host> Executor = exec::sequential>
[[nodiscard]] partition_quality
measure_partition(hetero_view<memory_space::host, Vertex> graph, std::span<host_view<local_id const> const> part_of,
                  int num_parts, partition_quality::hetero_options const& options = {}, Executor const& ex = {}) {
  auto const& schema = graph.schema();
  if (num_parts < 1) {
    throw precondition_error(detail::message("partition into ", num_parts, " parts; ask for 1 or more"));
  }
  if (std::ssize(part_of) != schema.num_node_types()) {
    throw precondition_error(detail::message("parts of the vertices of ", part_of.size(), " types for ",
                                             schema.num_node_types(), " node types; give one list per type"));
  }
  if (!options.splits.empty() && std::ssize(options.splits) != schema.num_node_types()) {
    throw precondition_error(detail::message("splits of ", options.splits.size(), " types for ",
                                             schema.num_node_types(), " node types; give them per type or not at all"));
  }
  std::vector<detail::measured_vertices<Vertex>> vertices;
  std::vector<std::string> names;
  for (int t = 0; t < schema.num_node_types(); ++t) {
    auto const& of_type = part_of[static_cast<std::size_t>(t)];
    names.push_back(schema.node_types()[static_cast<std::size_t>(t)].name);
    if (of_type.size() != schema.num_vertices(t)) {
      throw precondition_error(detail::message("parts of ", of_type.size(), " vertices of type '", names.back(),
                                               "', which has ", schema.num_vertices(t), "; give one part per vertex"));
    }
    try {
      vertices.emplace_back(of_type, num_parts, vertices.size(), 1);
    } catch (precondition_error const& fault) {
      throw precondition_error(detail::message("vertices of type '", names.back(), "': ", fault.what()));
    }
  }
  std::vector<detail::edge_type_quality> edge_types;
  for (auto const& type : schema.edge_types()) {
    edge_types.push_back({{}, type});
  }
  detail::quality_pass pass(num_parts, names.size());
  for (int part = 0; part < num_parts; ++part) {
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      auto const counted =
          pass.count_edges(graph.relation(e), vertices[static_cast<std::size_t>(schema.destination_type(e))],
                           vertices[static_cast<std::size_t>(schema.source_type(e))], part, ex);
      edge_types[static_cast<std::size_t>(e)] += counted;
      edge_types[static_cast<std::size_t>(e)].parts.push_back(counted);
    }
  }
  for (std::size_t t = 0; t < vertices.size(); ++t) {
    pass.count_vertices(vertices[t]);
    if (!options.splits.empty()) {
      pass.count_splits(vertices[t], options.splits[t], " of type '" + names[t] + "'");
    }
  }
  auto quality = std::move(pass).result(std::move(names));
  quality.edge_types = std::move(edge_types);
  return quality;
}

/// Measures the assignment that relabellings describe, as `partition_by_type` makes them.
///
/// @shape  labels [node types], into the same number of parts
/// @throws precondition_error  if there is no relabelling, or one has another number of parts than the first; otherwise
///                             as for an assignment
/// @cost   4 bytes a vertex more than for an assignment
template <vertex_id Vertex, reaches<memory_space::host> Executor = exec::sequential>
[[nodiscard]] partition_quality
measure_partition(hetero_view<memory_space::host, Vertex> graph, std::span<relabelling const> labels,
                  partition_quality::hetero_options const& options = {}, Executor const& ex = {}) {
  if (labels.empty()) {
    throw precondition_error("no relabelling says how many parts there are; give one per node type");
  }
  auto const num_parts = labels[0].book.num_parts();
  std::vector<buffer<device::cpu, local_id>> assigned;
  std::vector<host_view<local_id const>> part_of;
  for (auto const& of_type : labels) {
    if (of_type.book.num_parts() != num_parts) {
      throw precondition_error(detail::message(of_type.book.num_parts(), " parts of the vertices of type ",
                                               assigned.size(), ", but ", num_parts,
                                               " parts of type 0; make as many of each"));
    }
    auto& parts = assigned.emplace_back(of_type.book.num_vertices());
    for (int part = 0; part < num_parts; ++part) {
      for (auto id = of_type.book.begin(part); id < of_type.book.end(part); ++id) {
        parts[of_type.original[id]] = part;
      }
    }
    part_of.push_back(parts.view());
  }
  return measure_partition(graph, std::span<host_view<local_id const> const>(part_of), num_parts, options, ex);
}

} // namespace glt
