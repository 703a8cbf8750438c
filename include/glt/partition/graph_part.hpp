// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt {

/// One part of a partitioned graph: all edges into the vertices that the part owns.
///
/// Its size depends on the part, not on the graph.
template <device_policy Policy, vertex_id Column = global_id>
struct graph_part {
  partition_book book;                ///< of the whole graph
  int part = 0;                       ///< index of this part
  csr_graph<Policy, Column> graph;    ///< rows are local ids, columns global ids; with original edge ids
  buffer<Policy, global_id> original; ///< [rows], original vertex ids
};

} // namespace glt
