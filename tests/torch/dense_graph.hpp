// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/dist/full_batch/aggregation.hpp>

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace glt_test {

inline double largest(at::Tensor const& difference) {
  return difference.numel() == 0 ? 0.0 : difference.abs().max().item<double>();
}

/// Edges from sources to destinations, and what they aggregate by operations of LibTorch alone.
struct dense_graph {
  std::int64_t num_sources = 0;
  std::int64_t num_destinations = 0;
  std::vector<glt::local_id> row; ///< sources
  std::vector<glt::local_id> col; ///< destinations

  [[nodiscard]] at::Tensor adjacency(at::ScalarType type = at::kDouble) const {
    auto made = at::zeros({num_destinations, num_sources}, type);
    auto* const values = made.data_ptr();
    for (std::size_t e = 0; e < row.size(); ++e) {
      auto const place = col[e] * num_sources + row[e];
      type == at::kFloat ? static_cast<float*>(values)[place] += 1 : static_cast<double*>(values)[place] += 1;
    }
    return made;
  }
  /// As a column.
  [[nodiscard]] at::Tensor in_degrees(at::ScalarType type = at::kDouble) const { return adjacency(type).sum(1, true); }

  [[nodiscard]] at::Tensor aggregate(at::Tensor const& x, glt::dist::aggregator how) const {
    auto const type = x.scalar_type();
    if (how == glt::dist::aggregator::sum) {
      return adjacency(type).mm(x);
    }
    if (how == glt::dist::aggregator::mean) {
      return (adjacency(type) / in_degrees(type).clamp_min(1)).mm(x);
    }
    std::vector<at::Tensor> rows{at::zeros({0, x.size(1)}, x.options())};
    for (std::int64_t d = 0; d < num_destinations; ++d) {
      std::vector<std::int64_t> sources;
      for (std::size_t e = 0; e < row.size(); ++e) {
        if (col[e] == d) {
          sources.push_back(row[e]);
        }
      }
      if (sources.empty()) {
        rows.push_back(at::zeros({1, x.size(1)}, x.options()));
        continue;
      }
      auto const taken = x.index_select(0, at::tensor(sources, at::kLong));
      rows.push_back(std::get<0>(how == glt::dist::aggregator::max ? taken.max(0, true) : taken.min(0, true)));
    }
    return at::cat(rows);
  }

  /// The sum over all in-edges if the degrees, a column, are of a graph from which these edges are drawn.
  [[nodiscard]] at::Tensor sum(at::Tensor const& x, at::Tensor const& degrees) const {
    return degrees.defined() ? aggregate(x, glt::dist::aggregator::mean) * degrees.narrow(0, 0, num_destinations)
                             : aggregate(x, glt::dist::aggregator::sum);
  }
};

} // namespace glt_test
