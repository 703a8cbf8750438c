// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/shard.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>

namespace glt::detail {

template <class T>
inline constexpr std::int64_t elements_of_line = 64 / static_cast<std::int64_t>(sizeof(T));

/// Number of prefetched elements of a row; the hardware itself detects how a longer row goes on.
template <class T>
inline constexpr std::int64_t most_prefetched = 8 * elements_of_line<T>;

/// Prefetches the rows at the other ends of edges that come soon, which are anywhere in memory. Edges behind a row
/// belong to the next row.
template <memory_space Space, class T>
[[gnu::always_inline]] GLT_HOST_DEVICE inline void prefetch_ends(shard_view<Space> const& shard, edge_offset first,
                                                                 edge_offset last, strided_rows<T const> const& rows,
                                                                 std::int64_t columns) {
  auto const asked = columns < most_prefetched<T> ? columns : most_prefetched<T>;
  for (auto e = first; e < last && e < shard.columns.size(); ++e) {
    auto const column = shard.columns[e];
    if (column < shard.num_columns) { // a column of another shard may be beyond the rows
      T const* const from = rows.row(column);
      for (std::int64_t c = 0; c < asked; c += elements_of_line<T>) {
        prefetch(from + c);
      }
    }
  }
}

} // namespace glt::detail
