// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/detail/orders.hpp>

namespace glt::detail {

/// Returns a summand of an edge. The sum over all edges of a graph is 0 if every edge is there in both directions, and
/// hardly ever in other cases.
[[nodiscard]] inline std::int64_t direction_sign(std::int64_t source, std::int64_t destination) noexcept {
  auto const fingerprint = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(
        mix64(static_cast<std::uint64_t>(a) * 0xD1342543DE82EF95ULL + static_cast<std::uint64_t>(b)) >> 32);
  };
  return fingerprint(source, destination) - fingerprint(destination, source);
}

/// Returns the sum of the `direction_sign` of all edges of the vertices first, first + 1, …
///
/// @shape  rows: columns are vertices of the whole graph
/// @cost   O(E)
template <class Vertex>
[[nodiscard]] std::int64_t direction_sum(std::int64_t first, csr_view<memory_space::host, Vertex> rows) {
  std::int64_t sum = 0;
  for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
    for (auto const u : rows.row(row)) {
      sum += direction_sign(u, first + row);
    }
  }
  return sum;
}

/// Adds the reverse of every edge to a graph, a self-loop too. A row has its edges first, then the reverses, ascending.
///
/// @pre    sources are in [0, V); not checked
/// @cost   O(V + E); memory of the result
template <class Vertex>
[[nodiscard]] csr_graph<device::cpu, Vertex> make_both_directions(csr_view<memory_space::host, Vertex> graph) {
  auto const each_edge = [&](auto use) {
    for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
      for (auto const u : graph.row(v)) {
        use(static_cast<Vertex>(v), u);
      }
    }
  };
  row_places places(graph.num_rows());
  each_edge([&](Vertex v, Vertex u) {
    places.count(v);
    places.count(u);
  });
  buffer<device::cpu, Vertex> neighbors(places.finish_counting());
  each_edge([&](Vertex v, Vertex u) { neighbors[places.place(v)] = u; });
  each_edge([&](Vertex v, Vertex u) { neighbors[places.place(u)] = v; });
  return {graph.num_rows(), std::move(places).offsets(), std::move(neighbors)};
}

} // namespace glt::detail
