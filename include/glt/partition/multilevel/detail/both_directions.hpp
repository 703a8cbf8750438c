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

/// Makes a graph that has every edge in both directions; rows are ascending, and a self-loop comes twice.
///
/// @pre    sources are in [0, V); not checked, see `validate`
/// @cost   O(V + E); twice the memory of the result
template <class Vertex>
[[nodiscard]] csr_graph<device::cpu, Vertex> make_both_directions(csr_view<memory_space::host, Vertex> graph) {
  // Passes all edges (row, neighbor) of `from` on; if they come row by row, the rows that are made are ascending.
  auto const collect = [&](auto const& each_edge) {
    row_places places(graph.num_rows());
    each_edge([&](Vertex row, Vertex) { places.count(row); });
    buffer<device::cpu, Vertex> neighbors(places.finish_counting());
    each_edge([&](Vertex row, Vertex neighbor) { neighbors[places.place(row)] = neighbor; });
    return csr_graph<device::cpu, Vertex>(graph.num_rows(), std::move(places).offsets(), std::move(neighbors));
  };
  auto const unordered = collect([&](auto&& use) {
    for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
      for (auto const u : graph.row(v)) {
        use(static_cast<Vertex>(v), u);
        use(u, static_cast<Vertex>(v));
      }
    }
  });
  return collect([&, rows = unordered.view()](auto&& use) {
    for (std::int64_t v = 0; v < rows.num_rows(); ++v) {
      for (auto const u : rows.row(v)) {
        use(u, static_cast<Vertex>(v));
      }
    }
  });
}

} // namespace glt::detail
