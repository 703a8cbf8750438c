// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/stream/detail/vertex_stream.hpp>

namespace glt {

namespace detail {

// Score: neighbours times free places.
struct ldg_rule {
  std::int64_t limit;

  [[nodiscard]] std::int64_t capacity() const noexcept { return limit; }
  [[nodiscard]] double level(std::int64_t size) const noexcept { return static_cast<double>(limit - size); }
  // Counts are below 2^53, so the products and the result are the same on all machines.
  [[nodiscard]] double score(std::int64_t neighbors, double free_places) const noexcept {
    return static_cast<double>(neighbors) * free_places;
  }
};

} // namespace detail

/// Linear deterministic greedy: vertices arrive one by one, and each goes to the part that holds most of its
/// in-neighbours, weighted by the part's free room.
///
/// Ties go to the smaller part, then to the lower one. Every further pass repeats the stream with the assignment of the
/// previous pass, which lowers the edge cut.
///
/// @source Stanton & Kliot, "Streaming graph partitioning for large distributed graphs", KDD 2012; further
///         passes: Nishimura & Ugander, "Restreaming graph partitioning", KDD 2013
struct ldg_partitioner {
  using stream_type = detail::vertex_stream<detail::ldg_rule>; ///< takes rows one after the other

  std::uint64_t seed = 1;
  double capacity_slack = 0.05; ///< a part has at most (1 + slack) · V / P vertices, rounded up
  int passes = 5;
  stream_order order = stream_order::random;
  balance_constraints balance{}; ///< kept, like the capacity, if a part has room; see `vertex_stream`

  /// @shape  graph [V] rows → [V]
  /// @pre    sources are in [0, V); not checked, see `validate`
  /// @throws precondition_error  if num_parts or passes < 1, capacity_slack is negative, the graph is not
  ///                             square, or `balance` is wrong
  /// @cost   O(passes · (V + E) + P); memory O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    return detail::stream_graph(stream(graph.num_rows(), num_parts), graph, order, seed, passes);
  }

  /// Makes a stream for a graph that comes row by row, in the caller's order and passes.
  ///
  /// @throws precondition_error  if num_vertices is negative, num_parts < 1, capacity_slack is negative, or
  ///                             `balance` is wrong
  [[nodiscard]] stream_type stream(std::int64_t num_vertices, int num_parts) const {
    auto const capacity = detail::vertex_capacity("LDG", num_vertices, capacity_slack, num_parts);
    return {{capacity}, num_vertices, num_parts, balance};
  }
};

namespace detail {

// Returns base^exponent for an exponent in [0, 1], by its binary digits. Roots and products are the same on all
// platforms, unlike std::pow.
[[nodiscard]] inline double root_power(double base, double exponent) noexcept {
  constexpr int digits = 32;
  double power = 1;
  for (int digit = 0; digit <= digits && exponent > 0; ++digit) {
    if (exponent >= 1) {
      power *= base;
      exponent -= 1;
    }
    base = std::sqrt(base);
    exponent *= 2;
  }
  return power;
}

// Score: neighbours less the marginal cost of the size, in fixed point. A compiler that fuses the product and the
// difference cannot change it.
struct fennel_rule {
  static constexpr int fraction_bits = 24;

  std::int64_t limit;
  double load_of_one; // a vertex as a share of V / P
  double price;       // cost of a further vertex in a part of V / P vertices
  double exponent;

  [[nodiscard]] std::int64_t capacity() const noexcept { return limit; }
  [[nodiscard]] std::int64_t level(std::int64_t size) const noexcept {
    constexpr double most = 0x1p61;
    auto const cost = price * root_power(static_cast<double>(size) * load_of_one, exponent) * (1 << fraction_bits);
    return static_cast<std::int64_t>(cost < most ? cost : most);
  }
  [[nodiscard]] std::int64_t score(std::int64_t neighbors, std::int64_t cost) const noexcept {
    return (neighbors << fraction_bits) - cost;
  }
};

} // namespace detail

/// Fennel: vertices arrive one by one, and each goes to the part where it gains most. The gain is its in-neighbours
/// there less the cost of one more vertex in a part of n vertices, α γ n^(γ − 1).
///
/// γ between 1 and 2 sets how the cost rises with the size. α is the paper's P^(γ − 1) · m / V^γ times `alpha`, where m
/// is the number of edges of the undirected graph: half of the entries of all rows. ν limits a part to ν · V / P
/// vertices and is 1 + `capacity_slack`. Ties go to the smaller part, then to the lower one.
///
/// @source Tsourakakis et al., "FENNEL: streaming graph partitioning for massive scale graphs", WSDM 2014; further
///         passes: Nishimura & Ugander, "Restreaming graph partitioning", KDD 2013
struct fennel_partitioner {
  using stream_type = detail::vertex_stream<detail::fennel_rule>; ///< takes rows one after the other

  std::uint64_t seed = 1;
  double gamma = 1.5;          ///< in [1, 2]
  double alpha = 1;            ///< times the paper's; more keeps sizes closer, less cuts fewer edges
  double capacity_slack = 0.1; ///< a part has at most (1 + slack) · V / P vertices, rounded up
  int passes = 1;
  stream_order order = stream_order::random;
  balance_constraints balance{}; ///< kept, like the capacity, if a part has room; see `vertex_stream`

  /// @shape  graph [V] rows → [V]
  /// @pre    sources are in [0, V); not checked, see `validate`
  /// @throws precondition_error  if num_parts or passes < 1, the graph is not square, or as `stream`
  /// @cost   O(passes · (V + E) + P); memory O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    return detail::stream_graph(stream(graph.num_rows(), graph.num_edges(), num_parts), graph, order, seed, passes);
  }

  /// Makes a stream for a graph that comes row by row, in the caller's order and passes; num_edges counts the entries
  /// of all rows.
  ///
  /// @throws precondition_error  if a number is negative, num_parts < 1, gamma is not in [1, 2], alpha or
  ///                             capacity_slack is negative, or `balance` is wrong
  [[nodiscard]] stream_type stream(std::int64_t num_vertices, std::int64_t num_edges, int num_parts) const {
    auto const capacity = detail::vertex_capacity("Fennel", num_vertices, capacity_slack, num_parts);
    if (!(gamma >= 1 && gamma <= 2) || !(alpha >= 0) || num_edges < 0) {
      throw precondition_error(detail::message("Fennel with gamma ", gamma, " and alpha ", alpha, " for ", num_edges,
                                               " edges; gamma is in [1, 2], the others are 0 or more"));
    }
    auto const vertices = static_cast<double>(num_vertices > 0 ? num_vertices : 1);
    return {{.limit = capacity,
             .load_of_one = num_parts / vertices,
             .price = gamma * alpha * (static_cast<double>(num_edges) / 2 / vertices),
             .exponent = gamma - 1},
            num_vertices,
            num_parts,
            balance};
  }
};

} // namespace glt
