// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/row_with.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Key of an edge in a message to the owner of its destination: the destination's row, flagged or not, and the edge's
/// id.
using edge_key = row_with<edge_id>;

/// Functor that lists the keys of edges in sorted order.
///
/// @shape  edges [n] · rows, places [n] · keys [n], written
template <memory_space Space>
struct list_edge_keys {
  edge_id const* edges;
  array_view<Space, local_id const> rows;
  array_view<Space, std::int64_t const> places;
  edge_key* keys;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { keys[i] = {rows[i], edges[places[i]]}; }
};

inline constexpr local_id no_edge_row = std::numeric_limits<local_id>::min(); // no row, flagged or not

/// Functor that finds the rows of edges, flagged like their keys.
template <memory_space Space>
struct find_edge_keys {
  edge_key const* keys;
  id_table_view<Space> table;
  local_id* found;
  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    for (auto i = first; i < last; ++i) {
      auto const ahead = i + table.ahead;
      table.prefetch(keys[ahead < last ? ahead : last - 1].value());
      auto const row = static_cast<local_id>(table.find(keys[i].value()));
      found[i] = row < 0 ? no_edge_row : keys[i].row() < 0 ? ~row : row;
    }
  }
};

struct first_without_row {
  local_id const* found;
  std::int64_t size;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return found[i] == no_edge_row ? i : size; }
};

/// Finds the rows of edges.
///
/// @shape  keys [n] · found [n], written
/// @where  memory that the policy's executor reaches; synchronises
/// @throws precondition_error  naming the first edge that is not in the table
template <device_policy Policy, memory_space Space>
void find_edge_rows(Policy const& policy, edge_key const* keys, std::int64_t size, id_table_view<Space> table,
                    local_id* found) {
  policy.executor().for_ranges(size, 1024, find_edge_keys<Space>{keys, table, found});
  auto const bad = policy.executor().reduce(size, size, first_without_row{found, size}, smaller{});
  if (bad < size) {
    array_view<Policy::space, edge_key const> const all(keys, size);
    refuse_edge(bad, read_element(policy, all, bad).value(), table.size());
  }
}

} // namespace glt::detail
