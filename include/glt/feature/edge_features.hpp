// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/feature/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>
#include <glt/feature/id_table.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace glt {

/// Features of edges by global edge id, whatever the order in which their rows are stored.
///
/// A part of a graph keeps its edges in an order of its own: the place of an edge there is not its id.
///
/// @shape  E edges with a row each
template <device_policy Policy, bytes_copyable T>
class edge_features {
public:
  static constexpr memory_space space = Policy::space;

  edge_features() = default;

  /// @shape  ids [E], such as the edge ids of a part · rows of E edges, in the same order
  /// @throws precondition_error  if there is not one row per id, an id is negative or comes twice, or there are
  ///                             2³¹ or more
  /// @cost   O(E), and 20 to 32 bytes an edge beside the rows
  edge_features(buffer<Policy, edge_id> ids, feature_store<Policy, T> rows)
      : edges_(std::move(ids), "edge"), rows_(std::move(rows)) {
    if (edges_.size() != rows_.view().num_vertices()) {
      throw precondition_error(detail::message(rows_.view().num_vertices(), " rows for ", edges_.size(),
                                               " edges; give one per edge"));
    }
  }

  [[nodiscard]] std::int64_t num_edges() const noexcept { return edges_.size(); }
  [[nodiscard]] std::int64_t num_columns() const { return rows().num_columns(); }
  [[nodiscard]] feature_view<space, T> rows() const { return rows_.view(); }

  /// The rows of edges.
  ///
  /// @shape  ids [n] → found, n rows
  /// @throws precondition_error  if an edge is not among these
  void find(array_view<space, edge_id const> ids, std::vector<local_id>& found) const {
    found.resize(static_cast<std::size_t>(ids.size()));
    edges_.find_all(
        ids.size(), [&](std::int64_t i) { return ids[i]; },
        [&](std::int64_t i, std::int64_t row) {
          if (row < 0) {
            throw precondition_error(detail::message("edge ", i, " has the id ", ids[i], ", which is not among the ",
                                                     num_edges(), " of these features; pass global edge ids"));
          }
          found[static_cast<std::size_t>(i)] = static_cast<local_id>(row);
        });
  }

  /// Copies the features of edges, converted as by `gather_rows`.
  ///
  /// @shape  ids [n] · out [n, F], written
  /// @throws precondition_error  if an edge is not among these, or out is not [n, F]
  template <bytes_copyable Out>
    requires gathers_as<T, Out>
  void gather(array_view<space, edge_id const> ids, matrix_view<space, Out> out, Policy const& policy = {}) const {
    std::vector<local_id> found;
    find(ids, found);
    gather_rows(policy.executor(), rows(), array_view<space, local_id const>(found.data(), ids.size()), out);
  }

private:
  id_table<Policy> edges_;
  feature_store<Policy, T> rows_;
};

} // namespace glt
