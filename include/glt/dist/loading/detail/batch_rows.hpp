// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/collected_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Rows of the vertices and edges of a batch, as far as the recipe asks for them.
///
/// @shape  features() [N, F] · labels() [distinct seeds], or empty without labels · tensors of N rows, or of one per
///         distinct seed · edge_tensors of E rows
template <device_policy Policy, bytes_copyable T>
struct batch_rows {
  dist::collected_rows<Policy, T> rows;
  std::int64_t num_columns = 0;
  collected_table<Policy> tensors;      ///< by name: `batch.tensors["year"]`
  collected_table<Policy> edge_tensors; ///< in the order of the edge ids: `batch.edge_tensors["time"]`

  /// Features of the nodes of the subgraph, in that order.
  [[nodiscard]] matrix_view<Policy::space, T const> features() const noexcept {
    return {rows.features.data(), num_columns == 0 ? rows.num_rows : rows.features.size() / num_columns, num_columns};
  }
  /// Labels of the first nodes of the subgraph, the distinct seeds.
  [[nodiscard]] array_view<Policy::space, label_type const> labels() const noexcept { return rows.labels.view(); }

protected:
  template <class Self>
  [[nodiscard]] static auto row_members(Self& self) noexcept {
    return std::tie(self.rows, self.num_columns, self.tensors, self.edge_tensors);
  }
};

} // namespace glt::detail
