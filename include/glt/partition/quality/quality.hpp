// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/quality/detail/quality_pass.hpp>
#include <glt/partition/quality/partition_quality.hpp>

namespace glt {

/// Splits and types of the vertices of a graph whose partition is measured.
///
/// @shape  type_of [V] or empty, in [0, types.size())
struct quality_options {
  using vertex_splits = detail::vertex_splits; ///< seeds of training, validation and test

  vertex_splits splits{};
  host_view<local_id const> type_of{};
  std::vector<std::string> types{}; ///< names
};

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
[[nodiscard]] partition_quality measure_partition(csr_view<memory_space::host, Vertex> graph,
                                                  host_view<local_id const> part_of, int num_parts,
                                                  quality_options const& options = {}, Executor const& ex = {}) {
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

} // namespace glt
