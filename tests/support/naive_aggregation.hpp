// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>

#include "graphs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace glt_test {

/// True if a value is `right` but for rounding.
template <class T>
bool close(T value, double right) {
  double const allowed = (std::is_same_v<T, float> ? 1e-5 : 1e-12) * (1 + std::abs(right));
  return std::abs(static_cast<double>(value) - right) <= allowed;
}

/// An aggregation and its gradients as one loop over an edge list, in double and by original ids.
struct naive_aggregation {
  std::vector<double> y;  ///< [V, F]
  std::vector<double> dx; ///< [V, F]
  std::vector<double> dw; ///< [E, heads]

  /// @shape  weights [E, heads]
  naive_aggregation(edge_list const& list, glt::dist::aggregator how, std::int64_t columns, std::int64_t heads,
                    std::vector<double> const& weights, std::vector<double> const& x,
                    std::vector<double> const& gradient)
      : y(x.size(), 0), dx(x.size(), 0), dw(list.sources.size() * static_cast<std::size_t>(heads), 0) {
    using glt::dist::aggregator;
    std::vector<std::int64_t> degree(static_cast<std::size_t>(list.num_vertices), 0);
    for (auto const d : list.destinations) {
      ++degree[static_cast<std::size_t>(d)];
    }
    std::vector<std::int64_t> chosen(x.size(), -1);
    auto const each = [&](auto visit) {
      for (std::size_t e = 0; e < list.sources.size(); ++e) {
        for (std::int64_t c = 0; c < columns; ++c) {
          auto const head = c / (columns / heads);
          visit(static_cast<std::int64_t>(e), static_cast<std::size_t>(list.sources[e] * columns + c),
                static_cast<std::size_t>(list.destinations[e] * columns + c),
                static_cast<double>(degree[static_cast<std::size_t>(list.destinations[e])]),
                weights[e * static_cast<std::size_t>(heads) + static_cast<std::size_t>(head)],
                e * static_cast<std::size_t>(heads) + static_cast<std::size_t>(head));
        }
      }
    };
    bool const is_extreme = glt::detail::is_extreme(how);
    each([&](std::int64_t edge, std::size_t from, std::size_t to, double in_edges, double weight, std::size_t) {
      auto const value = weight * x[from];
      if (!is_extreme) {
        y[to] += how == aggregator::mean ? value / in_edges : value;
      } else if (chosen[to] < 0 || (how == aggregator::max ? value > y[to] : value < y[to])) {
        y[to] = value;
        chosen[to] = edge;
      }
    });
    each([&](std::int64_t edge, std::size_t from, std::size_t to, double in_edges, double weight, std::size_t w) {
      if (is_extreme && chosen[to] != edge) {
        return;
      }
      auto const share = how == aggregator::mean ? 1 / in_edges : 1;
      dx[from] += weight * share * gradient[to];
      dw[w] += share * x[from] * gradient[to];
    });
  }
};

} // namespace glt_test
