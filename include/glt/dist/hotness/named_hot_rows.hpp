// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/hotness/detail/hot_capacity.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <utility>

namespace glt::dist {

/// Copies of rows of several tensors of other ranks that this rank needs often: `hot_rows` of `named_features`.
///
/// @shape  N vertices with a row of every tensor each
template <host_policy Policy>
class named_hot_rows {
public:
  /// @shape  vertices [N] global ids · rows of N vertices, in the same order
  /// @throws precondition_error  if there is not one row per vertex, a vertex is negative or comes twice, or
  ///                             there are 2³¹ or more
  named_hot_rows(buffer<Policy, global_id> vertices, feature_table<Policy> rows)
      : vertices_(std::move(vertices), "hot vertex"), rows_(std::move(rows)) {
    if (vertices_.size() != rows_.num_vertices()) {
      throw precondition_error(detail::message(rows_.num_vertices(), " hot rows for ", vertices_.size(),
                                               " vertices; give one per vertex"));
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return vertices_.size(); }
  /// Which row a vertex has.
  [[nodiscard]] detail::id_table<Policy> const& vertices() const noexcept { return vertices_; }
  [[nodiscard]] feature_table<Policy> const& rows() const noexcept { return rows_; }
  /// Memory of this.
  [[nodiscard]] std::int64_t bytes() const { return hot_bytes(size(), row_bytes(rows_)); }

  /// Bytes of a vertex in all tensors of a table.
  [[nodiscard]] static std::int64_t row_bytes(feature_table<Policy> const& table) {
    std::int64_t sum = 0;
    for (auto const& each : table.tensors()) {
      sum += each.rows.row_bytes();
    }
    return sum;
  }

private:
  detail::id_table<Policy> vertices_;
  feature_table<Policy> rows_;
};

} // namespace glt::dist
