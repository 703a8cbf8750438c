// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/metis/detail/api.hpp>
#include <glt/metis/detail/undirected.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/detail/balance_loads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt::detail {

/// Vertex weights in the form of METIS: the number of vertices, then every group of every limit that has weight.
///
/// @shape  values [V, C], or empty if only vertices are limited · tolerances [C]
struct metis_weights {
  std::vector<idx_t> values;
  std::vector<real_t> tolerances; ///< 1 + slack; METIS accepts 1.001 or more
};

[[nodiscard]] inline real_t metis_tolerance(double slack) {
  return static_cast<real_t>(1 + std::clamp(slack, 0.001, 1e6));
}

/// @throws precondition_error  if a limit is wrong, or a sum of weights or V · C is more than METIS can count
/// @cost   O(V · C), in time and memory
[[nodiscard]] inline metis_weights make_metis_weights(std::int64_t num_vertices, double capacity_slack,
                                                      balance_constraints limits) {
  metis_weights made{.values = {}, .tolerances = {metis_tolerance(capacity_slack)}};
  balance_totals totals(std::move(limits), num_vertices);
  std::vector<std::size_t> place_of; // of every column among those that weigh anything
  for (auto const& column : totals.columns()) {
    check_metis_size(column.total, "sum of the weights of a balance limit");
    place_of.push_back(made.tolerances.size());
    if (column.total > 0) {
      made.tolerances.push_back(metis_tolerance(column.slack));
    }
  }
  auto const columns = made.tolerances.size();
  if (columns == 1) {
    return made;
  }
  check_metis_size(num_vertices * static_cast<std::int64_t>(columns), "number of vertices times limits");
  made.values.resize(static_cast<std::size_t>(num_vertices) * columns, 0);
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    auto* const row = made.values.data() + static_cast<std::size_t>(v) * columns;
    row[0] = 1;
    totals.weigh(v);
    for (auto const& [column, amount] : totals.weights()) {
      if (amount > 0) {
        row[place_of[column]] = static_cast<idx_t>(amount);
      }
    }
  }
  return made;
}

} // namespace glt::detail
