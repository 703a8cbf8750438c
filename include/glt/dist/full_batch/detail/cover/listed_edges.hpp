// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/dist/full_batch/shard.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace glt::detail {

/// Edge of a shard.
struct listed_edge {
  local_id row;
  local_id column;
  local_id number;
};

/// Edges between two ranks as compressed rows. Only rows with edges are listed; edges of a row ascend by number.
class listed_edges {
public:
  listed_edges() = default;
  explicit listed_edges(std::vector<listed_edge> edges) {
    std::ranges::sort(edges, {}, [](listed_edge const& edge) { return std::pair(edge.row, edge.number); });
    for (auto const& [row, column, number] : edges) {
      if (rows_.empty() || rows_.back() != row) {
        rows_.push_back(row);
        offsets_.push_back(std::ssize(columns_));
      }
      columns_.push_back(column);
      numbers_.push_back(number);
    }
    offsets_.push_back(std::ssize(columns_));
  }

  template <memory_space Space>
  [[nodiscard]] dist::shard_view<Space> view(std::int64_t num_rows, std::int64_t num_columns) const {
    return {.num_rows = num_rows,
            .num_columns = num_columns,
            .num_edges = std::ssize(columns_),
            .rows = {rows_.data(), std::ssize(rows_)},
            .offsets = {offsets_.data(), std::ssize(offsets_)},
            .columns = {columns_.data(), std::ssize(columns_)},
            .edges = {numbers_.data(), std::ssize(numbers_)}};
  }

private:
  std::vector<local_id> rows_;
  std::vector<edge_offset> offsets_;
  std::vector<local_id> columns_;
  std::vector<local_id> numbers_;
};

} // namespace glt::detail
