// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/feature_store.hpp>
#include <glt/graph/convert.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/split.hpp>

#include "graphs.hpp"
#include "partitioners.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace glt_test {

using glt::device::cpu;

/// Graphs to divide over ranks. Processes exchange slowly where there are more of them than cores, so they
/// get a few, which break parts in different ways; ranks that are threads get all.
inline std::vector<edge_list> graphs_to_divide() {
  auto graphs = adversarial_graphs();
#ifdef GLT_TEST_MPI
  std::erase_if(graphs, [](edge_list const& graph) {
    return graph.name != "empty" && graph.name != "multi-edges" && graph.name != "one vertex, one self-loop" &&
           graph.name != "random 257/4099";
  });
#endif
  return graphs;
}

/// A graph divided over the ranks of a test, with what is needed to compare in original ids.
struct divided_graph {
  glt::csr_graph<cpu> whole;
  glt::relabelling names;

  divided_graph(edge_list const& list, named_partitioner const& partitioner, int parts)
      : whole(glt::make_csr<cpu>(list.view(), {.edge_ids = true})),
        names(glt::make_relabelling(partitioner.run(whole.view(), parts).view(), parts)) {}

  template <class Vertex = glt::global_id>
  [[nodiscard]] glt::graph_part<cpu, Vertex> part(int rank) const {
    return glt::split_graph<Vertex>(whole.view(), names, rank);
  }

  /// The numbers that original ids have in the divided graph.
  template <class Vertex = glt::global_id>
  [[nodiscard]] std::vector<Vertex> renumbered(std::vector<std::int64_t> const& original) const {
    std::vector<Vertex> ids;
    for (auto const vertex : original) {
      ids.push_back(static_cast<Vertex>(names.renumbered[vertex]));
    }
    return ids;
  }

  /// Features whose value tells vertex and column, and labels that tell the vertex, by original id.
  [[nodiscard]] glt::feature_store<cpu, float> features(int rank, std::int64_t columns, bool labels = true) const {
    auto const rows = names.book.size(rank);
    glt::buffer<cpu, float> values(rows * columns);
    glt::buffer<cpu, glt::detail::label_type> classes(labels ? rows : 0);
    for (std::int64_t r = 0; r < rows; ++r) {
      auto const vertex = names.original[names.book.begin(rank) + r];
      for (std::int64_t c = 0; c < columns; ++c) {
        values[r * columns + c] = feature(vertex, c);
      }
      if (labels) {
        classes[r] = label(vertex);
      }
    }
    return {rows, columns, std::move(values), std::move(classes)};
  }

  static float feature(std::int64_t vertex, std::int64_t column) { return static_cast<float>(vertex * 16 + column); }
  static glt::detail::label_type label(std::int64_t vertex) { return 1000000 + vertex; }
};

/// Seeds of a rank at a step, in original ids: uneven lists, some empty, from all over the graph.
inline std::vector<std::int64_t> seeds_of(int rank, std::int64_t step, std::int64_t num_vertices) {
  std::vector<std::int64_t> seeds;
  auto const count = num_vertices == 0 ? 0 : (5 * rank + 7 * step) % 12;
  for (std::int64_t i = 0; i < count; ++i) {
    seeds.push_back((i * 31 + rank * 17 + step * 5) % num_vertices);
  }
  return seeds;
}

} // namespace glt_test
