// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/metis/detail/api.hpp>
#include <glt/metis/error.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/detail/balance_loads.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/repair_balance.hpp>

namespace glt::detail {

/// Throws if a size exceeds the integers of this METIS; `what` names the size in the error.
inline void check_metis_size(std::int64_t size, char const* what) {
  if (size > std::numeric_limits<idx_t>::max()) {
    throw precondition_error(message(what, " is ", size, ", but METIS was built with ", sizeof(idx_t) * 8,
                                     "-bit integers (idx_t); partition by ldg_partitioner or fennel_partitioner, or ",
                                     "build METIS with IDXTYPEWIDTH 64"));
  }
}

/// Graph in the form of METIS: no self-loops, every edge once in the rows of both its ends, with its weight.
///
/// @shape  offsets [V + 1] · neighbors, weights [offsets[V]]
struct metis_graph {
  std::vector<idx_t> offsets;
  std::vector<idx_t> neighbors; ///< ascending in a row
  std::vector<idx_t> weights;   ///< number of edges of either direction that are merged
};

// Returns both directions of every edge; rows are not sorted.
template <class Vertex>
metis_graph both_directions(csr_view<memory_space::host, Vertex> graph) {
  metis_graph made;
  made.offsets.resize(static_cast<std::size_t>(graph.num_rows()) + 1, 0);
  auto const for_each_edge = [&](auto&& f) {
    for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
      for (auto const u : graph.row(v)) {
        if (u != v) {
          f(static_cast<std::size_t>(u), static_cast<std::size_t>(v));
        }
      }
    }
  };
  for_each_edge([&](std::size_t u, std::size_t v) {
    ++made.offsets[u + 1];
    ++made.offsets[v + 1];
  });
  for (std::size_t v = 1; v < made.offsets.size(); ++v) {
    made.offsets[v] += made.offsets[v - 1];
  }
  made.neighbors.resize(static_cast<std::size_t>(made.offsets.back()));
  std::vector<idx_t> next(made.offsets.begin(), made.offsets.end() - 1);
  for_each_edge([&](std::size_t u, std::size_t v) {
    made.neighbors[static_cast<std::size_t>(next[u]++)] = static_cast<idx_t>(v);
    made.neighbors[static_cast<std::size_t>(next[v]++)] = static_cast<idx_t>(u);
  });
  return made;
}

/// Makes the graph undirected; the number of edges between two vertices, in either direction, becomes a weight.
///
/// @pre    sources are in [0, V); not checked, see `validate`
/// @throws precondition_error  if V or twice the number of edges is more than METIS can count
/// @cost   O(V + E log degree); 16 bytes an edge with 32-bit integers
template <class Vertex>
[[nodiscard]] metis_graph make_metis_graph(csr_view<memory_space::host, Vertex> graph) {
  check_metis_size(graph.num_rows(), "number of vertices");
  if (graph.num_edges() > std::numeric_limits<std::int64_t>::max() / 2) {
    check_metis_size(graph.num_edges(), "number of edges");
  }
  check_metis_size(2 * graph.num_edges(), "twice the number of edges, one for either direction,");
  auto made = both_directions(graph);
  made.weights.resize(made.neighbors.size());
  std::size_t kept = 0;
  std::size_t first = 0; // of the row, before it was shortened
  for (std::size_t v = 0; v + 1 < made.offsets.size(); ++v) {
    auto const last = static_cast<std::size_t>(made.offsets[v + 1]);
    std::sort(made.neighbors.begin() + static_cast<std::ptrdiff_t>(first),
              made.neighbors.begin() + static_cast<std::ptrdiff_t>(last));
    auto const row = kept;
    for (; first < last; ++first) {
      if (kept > row && made.neighbors[kept - 1] == made.neighbors[first]) {
        ++made.weights[kept - 1];
      } else {
        made.neighbors[kept] = made.neighbors[first];
        made.weights[kept++] = 1;
      }
    }
    made.offsets[v + 1] = static_cast<idx_t>(kept);
  }
  made.neighbors.resize(kept);
  made.weights.resize(kept);
  return made;
}

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

namespace glt {

/// METIS: multilevel k-way partitioning, the fewest cut edges for the most memory.
///
/// Ignores the graph's directions and self-loops; edges between the same vertices are merged. METIS aims at balance,
/// and `repair_balance` moves the excess and fills empty parts. A graph with no more vertices than parts, or without edges and limits, is
/// divided equally without METIS.
///
/// The parts are the same for the same seed, unless another thread uses std::rand at the same time: METIS sets its seed
/// and draws from it. METIS also handles SIGTERM and SIGABRT while it runs.
///
/// @source Karypis & Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM
///         J. Sci. Comput. 20(1), 1998; several limits: "Multilevel algorithms for multi-constraint graph
///         partitioning", SC 1998
struct metis_partitioner {
  /// Objective that METIS minimises.
  enum class goal {
    edge_cut,            ///< edges between parts
    communication_volume ///< vertices that other parts need, counted once a part: the halos
  };

  std::uint64_t seed = 1;
  double capacity_slack = 0.03; ///< a part should have at most (1 + slack) · V / P vertices
  goal objective = goal::edge_cut;
  int cuts = 1;                  ///< number of partitions to try; the best is taken
  int refinements = 10;          ///< iterations of the refinement on every level
  balance_constraints balance{}; ///< limits beside the capacity

  /// @shape  graph [V] rows → [V]
  /// @pre    sources are in [0, V); not checked, see `validate`
  /// @throws precondition_error  if num_parts, cuts or refinements < 1, capacity_slack is negative, the graph is
  ///                             not square, `balance` is wrong, or V, 2 E or the sum of a weight is more than
  ///                             METIS can count
  /// @throws metis_error         if METIS fails
  /// @cost   O((V + E) log P) or so; about 60 bytes an edge
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    detail::check_slack("METIS", capacity_slack);
    if (cuts < 1 || refinements < 1) {
      throw precondition_error(
          detail::message("METIS with ", cuts, " cuts and ", refinements, " refinements; there is at least 1 of each"));
    }
    auto const n = graph.num_rows();
    if (num_parts == 1 || n <= num_parts || (graph.num_edges() == 0 && balance.empty())) {
      return detail::equal_shares(n, num_parts, [](std::int64_t place) { return place; });
    }
    auto undirected = detail::make_metis_graph(graph);
    auto weights = detail::make_metis_weights(n, capacity_slack, balance);
    auto part_of = partition(undirected, weights, num_parts);
    auto limits = balance;
    limits.push_back(balance_limit::vertices(capacity_slack));
    return repair_balance(graph, std::move(part_of), limits, num_parts);
  }

private:
  [[nodiscard]] buffer<device::cpu, local_id> partition(detail::metis_graph& graph, detail::metis_weights& weights,
                                                        int num_parts) const {
    auto vertices = static_cast<idx_t>(graph.offsets.size() - 1);
    auto constraints = static_cast<idx_t>(weights.tolerances.size());
    idx_t parts = num_parts;
    idx_t objective_value = 0;
    std::array<idx_t, METIS_NOPTIONS> options{};
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = static_cast<idx_t>(random_key(seed).bits() & 0x7FFFFFFF);
    options[METIS_OPTION_OBJTYPE] = objective == goal::edge_cut ? METIS_OBJTYPE_CUT : METIS_OBJTYPE_VOL;
    options[METIS_OPTION_NCUTS] = cuts;
    options[METIS_OPTION_NITER] = refinements;
    std::vector<idx_t> part_of(static_cast<std::size_t>(vertices), 0);
    detail::check_metis(METIS_PartGraphKway(&vertices, &constraints, graph.offsets.data(), graph.neighbors.data(),
                                            weights.values.empty() ? nullptr : weights.values.data(), nullptr,
                                            graph.weights.data(), &parts, nullptr, weights.tolerances.data(),
                                            options.data(), &objective_value, part_of.data()),
                        "METIS_PartGraphKway");
    buffer<device::cpu, local_id> made(vertices);
    for (idx_t v = 0; v < vertices; ++v) {
      made[v] = static_cast<local_id>(part_of[static_cast<std::size_t>(v)]);
    }
    return made;
  }
};

} // namespace glt
