// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace glt_bench {

using glt::device::cpu;

/// The scale of the graphs, 20; the environment variable GLT_BENCH_SCALE sets another one, to try the
/// programs out.
inline int graph_scale() {
  char const* const asked = std::getenv("GLT_BENCH_SCALE");
  return asked == nullptr ? 20 : std::stoi(asked);
}

/// The R-MAT graph of Graph500 (0.57, 0.19, 0.19, 0.05), edge factor 16, made symmetric, without duplicates
/// and self-loops, ids shuffled; made once per program.
inline glt::csr_graph<cpu> const& rmat_graph() {
  static auto const made = [] {
    auto const drawn = glt::make_rmat<glt::local_id>({.scale = graph_scale(), .edge_factor = 16});
    auto const both_ways = glt::symmetrize<cpu>(drawn.view());
    auto const simple = glt::remove_duplicates<cpu>(both_ways.view(), glt::self_loop_handling::remove);
    return glt::make_csr<cpu>(simple.view());
  }();
  return made;
}

/// The vertices that have neighbours; R-MAT leaves about a third without.
inline std::vector<glt::local_id> connected_vertices(glt::csr_view<glt::memory_space::host> graph) {
  std::vector<glt::local_id> connected;
  for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
    if (graph.degree(v) > 0) {
      connected.push_back(static_cast<glt::local_id>(v));
    }
  }
  return connected;
}

/// Batch `step` of `size` distinct vertices out of a list that is longer than that, from all over it.
template <class Vertex>
std::vector<Vertex> batch_of(std::vector<Vertex> const& vertices, std::int64_t size, std::int64_t step) {
  auto const count = static_cast<std::int64_t>(vertices.size());
  // Multiples of a number without a common factor with count visit every place once before the first comes
  // again.
  std::int64_t stride = 7919;
  while (std::gcd(stride, count) != 1) {
    ++stride;
  }
  std::vector<Vertex> seeds(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    seeds[static_cast<std::size_t>(i)] = vertices[static_cast<std::size_t>((step * size + i) % count * stride % count)];
  }
  return seeds;
}

/// Values of no meaning for `rows` feature rows.
inline glt::buffer<cpu, float> feature_values(std::int64_t rows, std::int64_t columns) {
  glt::buffer<cpu, float> values(rows * columns);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1021);
  }
  return values;
}

} // namespace glt_bench
