// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt_test {

/// The share of edges whose ends are in different parts.
template <class Vertex>
double cut_fraction(glt::csr_view<glt::memory_space::host, Vertex> graph, glt::host_view<glt::local_id const> part_of) {
  double cut = 0;
  for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
    for (auto const u : graph.row(v)) {
      cut += part_of[u] != part_of[v] ? 1 : 0;
    }
  }
  return cut / static_cast<double>(graph.num_edges());
}

/// What the vertices of every part weigh together; weight(v) is that of one.
template <class Weight>
std::vector<std::int64_t> weights_of_parts(glt::host_view<glt::local_id const> part_of, int num_parts, Weight weight) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(num_parts), 0);
  for (std::int64_t v = 0; v < part_of.size(); ++v) {
    sums[static_cast<std::size_t>(part_of[v])] += weight(v);
  }
  return sums;
}

/// The number of vertices of every part.
inline std::vector<std::int64_t> sizes_of_parts(glt::host_view<glt::local_id const> part_of, int num_parts) {
  return weights_of_parts(part_of, num_parts, [](std::int64_t) { return std::int64_t{1}; });
}

} // namespace glt_test
