// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt {

/// Borrowed bipartite graph of one layer (message-flow graph): messages go from sources to destinations.
///
/// The destinations are the first `num_destinations` sources; the edges are grouped by destination, ascending.
///
/// @shape  offsets [num_destinations + 1] · row [E] in [0, num_sources) · col [E] in [0, num_destinations) ·
///         edge_ids [E] or empty
/// @units  offsets[d] − offsets[0] is the first edge of destination d in row, col and edge_ids
template <memory_space Space>
struct block_view {
  std::int64_t num_sources = 0;
  std::int64_t num_destinations = 0;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, local_id const> row;
  array_view<Space, local_id const> col;
  array_view<Space, edge_id const> edge_ids;
  bool is_piece = false; ///< its destination has more edges in other blocks; see `full_neighborhoods`

  [[nodiscard]] constexpr std::int64_t num_edges() const noexcept { return row.size(); }
};

} // namespace glt
