// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/edge_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>
#include <glt/memory/memory.hpp>

#include <utility>
#include <vector>

namespace glt {

namespace detail {

/// Borrowed features of edges, and the view that finds the row of an edge.
///
/// @shape  edges of E ids · rows [E, F]
template <memory_space Space, bytes_copyable T>
struct edge_feature_view {
  detail::id_table_view<Space> edges;
  feature_view<Space, T> rows;
};

} // namespace detail

/// Features of edges by global edge id; the rows may have any order.
///
/// A part of a graph reorders its edges: the position of an edge in the part is not its id. Concurrent calls: const
/// members may run concurrently.
///
/// @shape  E edges with a row each
template <device_policy Policy, bytes_copyable T>
class edge_features {
public:
  static constexpr memory_space space = Policy::space;

  edge_features() = default;

  /// @shape  ids [E], such as the edge ids of a part · rows of E edges, in the same order
  /// @throws precondition_error  as `edge_rows`
  /// @cost   as `edge_rows`
  edge_features(buffer<Policy, edge_id> ids, feature_store<Policy, T> rows)
      : edges_(std::move(ids), rows.view().num_vertices()), rows_(std::move(rows)) {}

  [[nodiscard]] std::int64_t num_edges() const noexcept { return edges_.size(); }
  [[nodiscard]] std::int64_t num_columns() const { return rows().num_columns(); }
  [[nodiscard]] feature_view<space, T> rows() const { return rows_.view(); }
  /// Returns the policy of the rows.
  [[nodiscard]] Policy const& policy() const noexcept { return rows_.policy(); }
  [[nodiscard]] detail::edge_feature_view<space, T> view() const { return {edges_.view(), rows()}; }

  /// Finds the rows of edges; see `edge_rows`.
  ///
  /// @throws precondition_error  if an edge is not among these
  void find(array_view<space, edge_id const> ids, std::vector<local_id>& found) const
    requires host_policy<Policy>
  {
    edges_.find(ids, found);
  }

  /// Copies the features of edges, converted as by `gather_rows`.
  ///
  /// @shape  ids [n] · out [n, F], written
  /// @throws precondition_error  if an edge is not among these, or out is not [n, F]
  template <bytes_copyable Out>
    requires(detail::gathers_as<T, Out> && host_policy<Policy>)
  void gather(array_view<space, edge_id const> ids, matrix_view<space, Out> out, Policy const& policy = {}) const {
    std::vector<local_id> found;
    find(ids, found);
    gather_rows(policy.executor(), rows(), array_view<space, local_id const>(found.data(), ids.size()), out);
  }

private:
  detail::edge_rows<Policy> edges_;
  feature_store<Policy, T> rows_;
};

} // namespace glt
