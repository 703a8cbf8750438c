// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/link_split.hpp>
#include <glt/io/array/array.hpp>

namespace glt::io {

/// Whole data set in memory, as readers return it and partitioning takes it.
///
/// A graph without types has one table of vertices and one of edges.
struct raw_data {
  /// One of several arrays that describe the same vertices or edges.
  struct named_array {
    std::string name;
    array values; ///< one row per vertex or edge
  };

  /// Vertices of one type.
  ///
  /// @shape  features [num_nodes, …] each · labels [num_nodes] or empty · times [num_nodes] or empty
  struct node_table {
    std::string name = "node";
    std::int64_t num_nodes = 0;
    std::vector<named_array> features{};
    array labels{}; ///< integers, or float targets
    std::vector<std::int64_t> times{};
    std::vector<global_id> train{}; ///< vertices of the split
    std::vector<global_id> valid{};
    std::vector<global_id> test{};
  };

  /// Edges of one type; the position of an edge is its id.
  ///
  /// @shape  sources, destinations [E] · features [E, …] each · weights [E] or empty · times [E] or empty
  struct edge_table {
    std::string source = "node"; ///< type of its source vertices
    std::string name = "edge";
    std::string destination = "node";
    std::vector<global_id> sources{};
    std::vector<global_id> destinations{};
    std::vector<named_array> features{};
    std::vector<float> weights{};
    std::vector<std::int64_t> times{};
    std::vector<link_split> links{};
  };

  std::string name;
  std::vector<node_table> nodes{};
  std::vector<edge_table> edges{};
};

} // namespace glt::io
