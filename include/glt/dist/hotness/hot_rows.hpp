// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/hotness/detail/hot_table.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>

namespace glt::dist {

/// Copies of rows of other ranks that this rank needs often; see `make_hot_rows`. For rows of edges, vertices are edge
/// ids.
///
/// Concurrent calls: const members may run concurrently.
/// @shape  N vertices, each with a row and, if the store has labels, a label
template <device_policy Policy, bytes_copyable T>
class hot_rows : public detail::hot_table<Policy, glt::feature_store<Policy, T>> {
  using table = detail::hot_table<Policy, glt::feature_store<Policy, T>>;

public:
  /// Holds no rows.
  hot_rows() = default;

  /// @shape  vertices [N] global ids · rows of N vertices, in the same order
  /// @param  partitioning  of the ids; collectors refuse hot rows of another partitioning; 0 if unknown
  /// @throws precondition_error  if there is not one row per vertex, a vertex is negative or comes twice, or
  ///                             there are 2³¹ or more
  hot_rows(buffer<Policy, global_id> vertices, glt::feature_store<Policy, T> rows, std::int64_t partitioning = 0)
      : hot_rows(std::move(vertices), rows.view().num_vertices(), std::move(rows), partitioning) {}

  [[nodiscard]] feature_view<Policy::space, T> rows() const { return this->stored().view(); }
  /// Returns the memory of rows and table in bytes.
  [[nodiscard]] std::int64_t bytes() const {
    return detail::hot_bytes(this->size(), row_bytes(rows().num_columns(), !rows().labels.empty()));
  }

  /// Returns the largest number of rows of `columns` columns that fit the budget with their table.
  ///
  /// @cost   O(1)
  [[nodiscard]] static std::int64_t capacity(std::int64_t budget_bytes, std::int64_t columns, bool labels) noexcept {
    return detail::hot_capacity(budget_bytes, row_bytes(columns, labels));
  }

private:
  hot_rows(buffer<Policy, global_id> vertices, std::int64_t num_rows, glt::feature_store<Policy, T> rows,
           std::int64_t partitioning)
      : table(std::move(vertices), std::move(rows), num_rows, partitioning) {}

  static std::int64_t row_bytes(std::int64_t columns, bool labels) noexcept {
    return columns * static_cast<std::int64_t>(sizeof(T)) +
           (labels ? static_cast<std::int64_t>(sizeof(detail::label_type)) : 0);
  }
};

/// Copies of rows of several tensors of other ranks that this rank needs often: `hot_rows` of `named_features`. For
/// rows of edges, vertices are edge ids.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  N vertices, each with a row in every tensor
template <device_policy Policy>
class named_hot_rows : public detail::hot_table<Policy, feature_table<Policy>> {
  using table = detail::hot_table<Policy, feature_table<Policy>>;

public:
  /// @shape  vertices [N] global ids · rows of N vertices, in the same order
  /// @param  partitioning  as of `hot_rows`
  /// @throws precondition_error  if there is not one row per vertex, a vertex is negative or comes twice, or
  ///                             there are 2³¹ or more
  named_hot_rows(buffer<Policy, global_id> vertices, feature_table<Policy> rows, std::int64_t partitioning = 0)
      : named_hot_rows(std::move(vertices), rows.num_rows(), std::move(rows), partitioning) {}

  [[nodiscard]] feature_table<Policy> const& rows() const noexcept { return this->stored(); }
  /// Returns the memory of rows and table in bytes.
  [[nodiscard]] std::int64_t bytes() const { return detail::hot_bytes(this->size(), row_bytes(rows())); }

  /// Returns the bytes of a vertex in all tensors of a table.
  [[nodiscard]] static std::int64_t row_bytes(feature_table<Policy> const& table) {
    std::int64_t sum = 0;
    for (auto const& each : table.tensors()) {
      sum += each.rows.row_bytes();
    }
    return sum;
  }

private:
  named_hot_rows(buffer<Policy, global_id> vertices, std::int64_t num_rows, feature_table<Policy> rows,
                 std::int64_t partitioning)
      : table(std::move(vertices), std::move(rows), num_rows, partitioning) {}
};

} // namespace glt::dist
