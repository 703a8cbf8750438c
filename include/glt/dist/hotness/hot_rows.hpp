// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/hotness/detail/hot_capacity.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <utility>

namespace glt::dist {

/// Copies of rows of other ranks that this rank needs often; see `make_hot_rows`.
///
/// @shape  N vertices with a row each, and a label if the store has labels
template <device_policy Policy, bytes_copyable T>
class hot_rows {
public:
  /// None.
  hot_rows() = default;

  /// @shape  vertices [N] global ids · rows of N vertices, in the same order
  /// @throws precondition_error  if there is not one row per vertex, a vertex is negative or comes twice, or
  ///                             there are 2³¹ or more
  hot_rows(buffer<Policy, global_id> vertices, glt::feature_store<Policy, T> rows)
      : vertices_(std::move(vertices), "hot vertex"), rows_(std::move(rows)) {
    if (vertices_.size() != rows_.view().num_vertices()) {
      throw precondition_error(detail::message(rows_.view().num_vertices(), " hot rows for ", vertices_.size(),
                                               " vertices; give one per vertex"));
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return vertices_.size(); }
  /// Which row a vertex has.
  [[nodiscard]] detail::id_table<Policy> const& vertices() const noexcept { return vertices_; }
  [[nodiscard]] feature_view<Policy::space, T> rows() const { return rows_.view(); }
  /// Memory of this.
  [[nodiscard]] std::int64_t bytes() const {
    return hot_bytes(size(), row_bytes(rows().num_columns(), !rows().labels.empty()));
  }

  /// The most rows of that many columns that fit the bytes, table included.
  ///
  /// @cost   O(1)
  [[nodiscard]] static std::int64_t capacity(std::int64_t budget_bytes, std::int64_t columns, bool labels) noexcept {
    return hot_capacity(budget_bytes, row_bytes(columns, labels));
  }

private:
  static std::int64_t row_bytes(std::int64_t columns, bool labels) noexcept {
    return columns * static_cast<std::int64_t>(sizeof(T)) +
           (labels ? static_cast<std::int64_t>(sizeof(label_type)) : 0);
  }

  detail::id_table<Policy> vertices_;
  glt::feature_store<Policy, T> rows_;
};

} // namespace glt::dist
