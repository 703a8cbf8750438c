// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/partition/multilevel/detail/both_directions.hpp>
#include <glt/partition/multilevel/detail/multilevel_stream.hpp>
#include <glt/partition/multilevel/greedy_coarsest.hpp>
#include <glt/partition/repair_balance.hpp>

namespace glt {

/// Multilevel partitioner for graphs of any size: about as few cut edges as METIS, with the memory of a stream.
///
/// Vertices join clusters by label propagation in a few passes over the rows. A further pass contracts the clusters to
/// a graph in memory, which is contracted again until it is small. `Coarsest` divides the smallest graph: METIS by
/// `metis_partitioner`, or `greedy_coarsest`. On the way back, vertices move to the part with most of their edges; the last
/// passes over the rows do this for the whole graph.
///
/// Directions of edges are ignored: a graph without the reverse of every edge is copied with both directions. Every
/// limit of `balance` holds for clusters and for parts, and `repair_balance` moves the excess in the end. A graph with
/// no more vertices than parts is divided equally. One thread works, so the result depends on the graph and the options
/// only.
///
/// @source Meyerhenke, Sanders, Schulz, "Partitioning complex networks via size-constrained clustering", SEA 2014
template <detail::coarsest_partitioner Coarsest = greedy_coarsest>
struct multilevel_partitioner {
  std::uint64_t seed = 1;
  double capacity_slack = 0.05;  ///< a part has at most (1 + slack) · V / P vertices, rounded up
  int clustering_rounds = 3;     ///< most passes that make clusters, on every level
  int refinement_rounds = 3;     ///< most passes that move vertices between parts, on the whole graph
  balance_constraints balance{}; ///< limits beside the capacity
  Coarsest coarsest{};

  /// @shape  graph [V] rows → [V]
  /// @pre    sources are in [0, V); not checked, see `validate`
  /// @throws precondition_error  if the graph is not square, or as `stream`; also any exception of `coarsest`
  /// @cost   O(rounds · (V + E)) and the division of the smallest graph; memory as `stream`, and 8 to 16 bytes an edge
  ///         if the graph must be copied
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    auto rounds = stream(graph.num_rows(), num_parts);
    csr_graph<device::cpu, Vertex> copy;
    auto rows = graph;
    if (rounds.wants_round() && detail::direction_sum(0, graph) != 0) {
      copy = detail::make_both_directions(graph);
      rows = copy.view();
    }
    while (rounds.wants_round()) {
      rounds.see_rows(0, rows);
      rounds.finish_round();
    }
    return repair_balance(graph, std::move(rounds).result(), limits(), num_parts);
  }

  /// Makes a stream for a graph whose rows come in pieces, with both directions of every edge, once a round.
  ///
  /// @throws precondition_error  if num_parts or a number of rounds < 1, capacity_slack is negative, `balance` is wrong,
  ///                             or there are more vertices than `local_id` can number
  /// @cost   memory 40 bytes a vertex, and 64 bytes an undirected edge of the contracted graph
  [[nodiscard]] detail::multilevel_stream<Coarsest> stream(std::int64_t num_vertices, int num_parts) const {
    detail::check_num_parts(num_parts);
    static_cast<void>(detail::narrow<local_id>(num_vertices, "number of vertices of a multilevel partitioner"));
    detail::check_slack("multilevel partitioner", capacity_slack);
    if (clustering_rounds < 1 || refinement_rounds < 1) {
      throw precondition_error(detail::message("multilevel partitioner with ", clustering_rounds,
                                               " clustering rounds and ", refinement_rounds,
                                               " refinement rounds; there is at least 1 of each"));
    }
    return {num_vertices,
            limits(),
            {.num_parts = num_parts,
             .clustering_rounds = clustering_rounds,
             .refinement_rounds = refinement_rounds,
             .seed = seed},
            coarsest};
  }

private:
  [[nodiscard]] balance_constraints limits() const {
    auto all = balance;
    all.push_back(balance_limit::vertices(capacity_slack));
    return all;
  }
};

} // namespace glt
