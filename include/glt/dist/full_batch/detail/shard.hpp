// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Borrowed compressed rows of some edges of a rank: edges from one peer, or edges within the rank.
///
/// Only rows with edges are listed. Forward, rows are local destinations and columns are the peer's sources that they
/// need; transposed, rows and columns are swapped.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  rows [n] in [0, num_rows), ascending · offsets [n + 1] · columns [E'] in [0, num_columns) · edges [E'],
///         positions in the graph's rows
/// @units  offsets count from the start of columns and edges, which may hold other shards, too
template <memory_space Space>
struct shard_view {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t num_edges = 0; ///< of this shard
  array_view<Space, local_id const> rows;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, local_id const> columns;
  array_view<Space, local_id const> edges;
};

} // namespace glt::detail
