// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

[[noreturn]] inline void refuse_edge(std::int64_t i, edge_id id, std::int64_t num_edges) {
  throw precondition_error(message("edge ", i, " has the id ", id, ", which is not among the ", num_edges,
                                   " of these features; pass global edge ids"));
}

/// Map from the global id of an edge to its row.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  E edges with a row each
template <device_policy Policy>
class edge_rows {
public:
  edge_rows() = default;

  /// @shape  ids [E], in the order of the rows
  /// @throws precondition_error  if there is not one row per id, an id is negative or comes twice, or there are
  ///                             2³¹ or more
  /// @cost   O(E), and 20 to 32 bytes an edge
  edge_rows(buffer<Policy, edge_id> ids, std::int64_t num_rows) : edges_(std::move(ids), "edge") {
    if (edges_.size() != num_rows) {
      throw precondition_error(message(num_rows, " rows for ", edges_.size(), " edges; give one per edge"));
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return edges_.size(); }
  /// Returns a view that finds the row of an edge.
  [[nodiscard]] id_table_view<Policy::space> view() const noexcept { return edges_.view(); }

  /// Finds the rows of edges.
  ///
  /// @shape  ids [n] → found, n rows
  /// @throws precondition_error  if an edge is not among these
  void find(array_view<Policy::space, edge_id const> ids, std::vector<local_id>& found) const
    requires host_policy<Policy>
  {
    found.resize(static_cast<std::size_t>(ids.size()));
    edges_.find_all(
        ids.size(), [&](std::int64_t i) { return ids[i]; },
        [&](std::int64_t i, std::int64_t row) {
          if (row < 0) {
            refuse_edge(i, ids[i], size());
          }
          found[static_cast<std::size_t>(i)] = static_cast<local_id>(row);
        });
  }

private:
  id_table<Policy> edges_;
};

} // namespace glt::detail
