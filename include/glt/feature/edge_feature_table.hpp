// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/edge_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/detail/named_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace glt {

namespace detail {

/// Borrowed tensors of edges, and the view that finds the row of an edge.
template <memory_space Space>
struct named_edge_rows {
  detail::id_table_view<Space> edges;
  std::vector<named_rows<Space>> rows;
};

} // namespace detail

/// Several feature tensors of the same edges, by name and global edge id; the rows may have any order. It is a
/// `feature_table` with the ids of `edge_features`.
/// Concurrent calls: const members may run concurrently.
///
/// @shape  E edges with a row of every tensor each
template <device_policy Policy>
class edge_feature_table {
public:
  static constexpr memory_space space = Policy::space;

  /// @shape  ids [E], such as the edge ids of a part · rows of E edges, in the same order
  /// @throws precondition_error  as `edge_rows`
  /// @cost   as `edge_rows`
  edge_feature_table(buffer<Policy, edge_id> ids, feature_table<Policy> rows)
      : edges_(std::move(ids), rows.num_vertices()), rows_(std::move(rows)) {}

  [[nodiscard]] std::int64_t num_edges() const noexcept { return edges_.size(); }
  /// Returns the tensors, in the order of the given ids.
  [[nodiscard]] feature_table<Policy> const& rows() const noexcept { return rows_; }
  [[nodiscard]] detail::named_edge_rows<space> view() const { return {edges_.view(), rows_.tensors()}; }

  /// Finds the rows of edges; see `edge_rows`.
  ///
  /// @throws precondition_error  if an edge is not among these
  void find(array_view<space, edge_id const> ids, std::vector<local_id>& found) const
    requires host_policy<Policy>
  {
    edges_.find(ids, found);
  }

  /// Copies the features of edges into new memory, converted as by `gather_rows`.
  ///
  /// @shape  ids [n] → n rows
  /// @throws precondition_error  if an edge is not among these; as `feature_table::gather`
  template <detail::element Out>
    requires host_policy<Policy>
  [[nodiscard]] feature_store<Policy, Out> gather(std::string_view name, array_view<space, edge_id const> ids) const {
    std::vector<local_id> found;
    find(ids, found);
    return rows_.template gather<Out>(name, array_view<space, local_id const>(found.data(), ids.size()));
  }

private:
  detail::edge_rows<Policy> edges_;
  feature_table<Policy> rows_;
};

} // namespace glt
