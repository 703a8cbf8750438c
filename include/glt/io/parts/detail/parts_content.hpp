// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/link_split.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/hetero_split.hpp>

namespace glt::io::detail {

/// Rows of remote vertices that a part keeps because it requests them most.
///
/// @shape  ids [H], global ids · features [H, …] each, for some features of the type
struct part_hot {
  buffer<device::cpu, global_id> ids;
  std::vector<raw_data::named_array> features;
};

/// Features, labels, times and splits of a part's vertices of one type, by local id; lists hold global ids.
///
/// @shape  features [rows, …] each · labels [rows, …] or empty · times [rows] or empty
struct part_nodes {
  std::vector<raw_data::named_array> features;
  array labels;
  buffer<device::cpu, std::int64_t> times;
  std::vector<global_id> train;
  std::vector<global_id> valid;
  std::vector<global_id> test;
  part_hot hot;
};

/// Features, weights, times and link splits of a part's edges of one type, by their position in its rows.
///
/// @shape  features [E, …] each · weights [E] or empty · times [E] or empty
struct part_edges {
  std::vector<raw_data::named_array> features;
  buffer<device::cpu, float> weights;
  buffer<device::cpu, std::int64_t> times;
  buffer<device::cpu, global_id> halo; ///< remote sources of edges, ascending; empty if not stored
  std::vector<link_split> links;       ///< pairs whose destination the part owns, in global ids
};

/// One part of a partitioned data set: graph, and the data of its vertices and edges.
struct part_content {
  hetero_part<device::cpu> graph;
  std::vector<part_nodes> nodes; ///< by node type
  std::vector<part_edges> edges; ///< by edge type
};

} // namespace glt::io::detail
