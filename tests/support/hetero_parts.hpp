// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/split.hpp>

#include "hetero_graphs.hpp"
#include "partitioners.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt_test {

using glt::device::cpu;

/// Heterogeneous graphs to divide over ranks; processes, which exchange slowly where there are more of them
/// than cores, get a few, and ranks that are threads get all.
inline std::vector<hetero_list> hetero_graphs_to_divide() {
  auto graphs = adversarial_hetero_graphs();
#ifdef GLT_TEST_MPI
  std::erase_if(graphs, [](hetero_list const& graph) {
    return graph.name != "no types" && graph.name != "empty types" && graph.name != "a relation without edges" &&
           graph.schema.num_node_types() != 4;
  });
#endif
  return graphs;
}

/// A heterogeneous graph divided over the ranks of a test, every node type by another partitioner, with what
/// is needed to compare in original ids.
struct divided_hetero_graph {
  glt::hetero_graph<cpu> whole;
  std::vector<glt::relabelling> names; ///< by node type

  /// Type t goes by partitioner t + shift of all.
  divided_hetero_graph(hetero_list const& list, int parts, std::size_t shift = 0) : whole(list.graph()) {
    auto const partitioners = all_partitioners();
    for (std::size_t t = 0; t < list.schema.node_types().size(); ++t) {
      auto const num_vertices = list.schema.node_types()[t].num_vertices;
      std::vector<glt::edge_offset> const offsets(static_cast<std::size_t>(num_vertices) + 1);
      glt::csr_view<glt::memory_space::host> const vertices(num_vertices, offsets, {});
      auto const part_of = partitioners[(t + shift) % partitioners.size()].run(vertices, parts);
      names.push_back(glt::make_relabelling(part_of.view(), parts));
    }
  }

  template <class Vertex = glt::global_id>
  [[nodiscard]] glt::hetero_part<cpu, Vertex> part(int rank) const {
    return glt::split_graph<Vertex>(whole.view(), names, rank);
  }

  /// The numbers that original ids of every type have in the divided graph.
  template <class Vertex = glt::global_id>
  [[nodiscard]] std::vector<std::vector<Vertex>>
  renumbered(std::vector<std::vector<std::int64_t>> const& original) const {
    std::vector<std::vector<Vertex>> ids(original.size());
    for (std::size_t t = 0; t < original.size(); ++t) {
      for (auto const vertex : original[t]) {
        ids[t].push_back(static_cast<Vertex>(names[t].renumbered[vertex]));
      }
    }
    return ids;
  }

  /// Features of a type whose value tells type, vertex and column, one column more from type to type.
  [[nodiscard]] glt::feature_store<cpu, float> features(int node_type, int rank) const {
    auto const& of_type = names[static_cast<std::size_t>(node_type)];
    auto const rows = of_type.book.size(rank);
    auto const columns = std::int64_t{node_type} + 1;
    glt::buffer<cpu, float> values(rows * columns);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        values[r * columns + c] = feature(node_type, of_type.original[of_type.book.begin(rank) + r], c);
      }
    }
    return {rows, columns, std::move(values)};
  }

  static float feature(int node_type, std::int64_t vertex, std::int64_t column) {
    return static_cast<float>(node_type * 100000 + vertex * 8 + column);
  }

  /// The original ids of all vertices, by node type and number in the divided graph.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> original() const {
    std::vector<std::vector<std::int64_t>> ids;
    for (auto const& of_type : names) {
      ids.emplace_back(of_type.original.begin(), of_type.original.end());
    }
    return ids;
  }
};

/// The part of a rank in memory of a policy.
template <class Policy>
glt::hetero_part<Policy, glt::global_id> device_part(divided_hetero_graph const& divided, int rank,
                                                     Policy const& policy) {
  auto const part = divided.part(rank);
  glt::hetero_part<Policy, glt::global_id> made{
      .schema = part.schema, .books = part.books, .part = part.part, .relations = {}, .original = {}};
  for (auto const& relation : part.relations) {
    made.relations.push_back(glt::copy<Policy>(relation.view(), policy));
  }
  for (auto const& original : part.original) {
    made.original.push_back(glt::make_buffer<Policy>(original.view(), policy));
  }
  return made;
}

} // namespace glt_test
