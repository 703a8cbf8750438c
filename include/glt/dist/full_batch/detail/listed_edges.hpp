// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/shard.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt::detail {

/// Edges between two ranks as compressed rows, of which only those with edges are listed.
class listed_edges {
public:
  listed_edges() = default;
  /// @shape  edges of (row, column)
  explicit listed_edges(std::vector<std::pair<local_id, local_id>> edges) {
    std::ranges::sort(edges);
    for (auto const& [row, column] : edges) {
      if (rows_.empty() || rows_.back() != row) {
        rows_.push_back(row);
        offsets_.push_back(std::ssize(columns_));
      }
      columns_.push_back(column);
    }
    offsets_.push_back(std::ssize(columns_));
  }

  template <memory_space Space>
  [[nodiscard]] dist::shard_view<Space> view(std::int64_t num_rows, std::int64_t num_columns) const {
    array_view<Space, local_id const> const columns(columns_.data(), std::ssize(columns_));
    return {.num_rows = num_rows,
            .num_columns = num_columns,
            .num_edges = columns.size(),
            .rows = {rows_.data(), std::ssize(rows_)},
            .offsets = {offsets_.data(), std::ssize(offsets_)},
            .columns = columns,
            .edges = columns}; // of sums without weights nobody asks which edges they are
  }

private:
  std::vector<local_id> rows_;
  std::vector<edge_offset> offsets_;
  std::vector<local_id> columns_;
};

} // namespace glt::detail
