// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/parts/parts_folder.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/quality/partition_quality.hpp>

namespace glt::io::detail {

// Returns the owners of a type's vertices in the numbering of a folder: part by part.
inline glt::detail::measured_vertices<global_id> vertices_of(partition_book const& book, std::size_t type) {
  buffer<device::cpu, local_id> part_of(book.num_vertices());
  for (int part = 0; part < book.num_parts(); ++part) {
    std::fill(part_of.begin() + book.begin(part), part_of.begin() + book.end(part), part);
  }
  return {part_of.cview(), book.num_parts(), type, 1};
}

/// Measures the partition of a folder, part by part; equals the result of `measure_partition` for the same graph and
/// assignment in memory.
///
/// @throws io_error  as `parts_folder::load`
/// @cost   O(V + E + P² · edge types) work and one read of the edges; memory as for an assignment: 16 to 24 bytes a
///         vertex, and the files of one part mapped at a time
template <reaches<memory_space::host> Executor = exec::sequential>
[[nodiscard]] partition_quality measure_parts(parts_folder const& folder, Executor const& ex = {}) {
  auto const& info = folder.info();
  auto const schema = info.schema();
  std::vector<glt::detail::measured_vertices<global_id>> vertices;
  std::vector<std::string> names;
  for (int t = 0; t < schema.num_node_types(); ++t) {
    vertices.push_back(vertices_of(info.book(t), vertices.size()));
    names.push_back(info.nodes[static_cast<std::size_t>(t)].name);
  }
  std::vector<glt::detail::edge_type_quality> edge_types;
  for (auto const& type : info.edges) {
    edge_types.push_back({{}, type.type});
  }
  glt::detail::quality_pass pass(folder.num_parts(), names.size());
  for (int part = 0; part < folder.num_parts(); ++part) {
    auto const content = folder.load(part);
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      auto const edges = static_cast<std::size_t>(e);
      auto& rows = vertices[static_cast<std::size_t>(schema.destination_type(e))];
      auto& columns = vertices[static_cast<std::size_t>(schema.source_type(e))];
      auto const counted =
          pass.count_edges(content.graph.relations[edges].view(), rows, columns, part, ex, rows.book.begin(part));
      edge_types[edges] += counted;
      edge_types[edges].parts.push_back(counted);
    }
    for (std::size_t t = 0; t < names.size(); ++t) {
      auto const& nodes = content.nodes[t];
      pass.count_splits(vertices[t], {nodes.train, nodes.valid, nodes.test}, "");
    }
  }
  for (auto const& of_type : vertices) {
    pass.count_vertices(of_type);
  }
  if (info.is_homogeneous()) {
    names.clear();
    edge_types.clear();
  }
  auto quality = std::move(pass).result(std::move(names));
  quality.edge_types = std::move(edge_types);
  return quality;
}

} // namespace glt::io::detail
