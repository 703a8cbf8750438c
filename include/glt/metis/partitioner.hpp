// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/multilevel/greedy_coarsest.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/repair_balance.hpp>

#if !__has_include(<metis.h>)
#include <missing for glt::metis: METIS: install libmetis-dev and link glt::metis> // an error that ends the compilation
#endif
#include <metis.h>

namespace glt {

namespace detail {

[[nodiscard]] inline char const* metis_error_text(int code) noexcept {
  switch (code) {
  case METIS_ERROR_INPUT:
    return "METIS refuses the graph or the options; see whether `validate` finds a fault in the graph";
  case METIS_ERROR_MEMORY:
    return "METIS does not have enough memory; partition by ldg_partitioner or fennel_partitioner, which need little";
  default:
    return "METIS gives no reason; partition by ldg_partitioner or fennel_partitioner";
  }
}

/// Throws if a METIS call did not return METIS_OK.
///
/// @throws library_error  if `code` is not METIS_OK
inline void check_metis(int code, std::string_view call, std::source_location where = std::source_location::current()) {
  if (code != METIS_OK) {
    throw library_error(std::string(call), code, metis_error_text(code), where);
  }
}

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

/// Vertex weights in the form of METIS: the number of vertices, if it has a slack, then every group of every limit that
/// has weight.
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
[[nodiscard]] inline metis_weights make_metis_weights(std::int64_t num_vertices, std::optional<double> capacity_slack,
                                                      balance_constraints limits) {
  metis_weights made;
  if (capacity_slack) {
    made.tolerances.push_back(metis_tolerance(*capacity_slack));
  }
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
  if (columns == 0 || (columns == 1 && capacity_slack)) {
    return made;
  }
  check_metis_size(num_vertices * static_cast<std::int64_t>(columns), "number of vertices times limits");
  made.values.resize(static_cast<std::size_t>(num_vertices) * columns, 0);
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    auto* const row = made.values.data() + static_cast<std::size_t>(v) * columns;
    row[0] = 1; // of the vertices, if they are counted
    totals.weigh(v);
    for (auto const& [column, amount] : totals.weights()) {
      if (amount > 0) {
        row[place_of[column]] = static_cast<idx_t>(amount);
      }
    }
  }
  return made;
}

/// Options of a call of METIS, see `metis_partitioner`.
struct metis_call {
  std::uint64_t seed = 1;
  mobjtype_et objective = METIS_OBJTYPE_CUT;
  int cuts = 1;
  int refinements = 10;
};

/// @throws precondition_error  if cuts or refinements < 1
inline void check_metis_call(int cuts, int refinements) {
  if (cuts < 1 || refinements < 1) {
    throw precondition_error(
        message("METIS with ", cuts, " cuts and ", refinements, " refinements; there is at least 1 of each"));
  }
}

/// Divides a graph by METIS.
///
/// @shape  → [V]
/// @throws library_error  if METIS fails
[[nodiscard]] inline buffer<device::cpu, local_id> call_metis(metis_graph& graph, metis_weights& weights, int num_parts,
                                                              metis_call const& call) {
  auto vertices = static_cast<idx_t>(graph.offsets.size() - 1);
  auto constraints = static_cast<idx_t>(std::max<std::size_t>(weights.tolerances.size(), 1));
  idx_t parts = num_parts;
  idx_t objective_value = 0;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = static_cast<idx_t>(random_key(call.seed).bits() & 0x7FFFFFFF);
  options[METIS_OPTION_OBJTYPE] = call.objective;
  options[METIS_OPTION_NCUTS] = call.cuts;
  options[METIS_OPTION_NITER] = call.refinements;
  std::vector<idx_t> part_of(static_cast<std::size_t>(vertices), 0);
  check_metis(METIS_PartGraphKway(&vertices, &constraints, graph.offsets.data(), graph.neighbors.data(),
                                  weights.values.empty() ? nullptr : weights.values.data(), nullptr,
                                  graph.weights.data(), &parts, nullptr,
                                  weights.tolerances.empty() ? nullptr : weights.tolerances.data(), options.data(),
                                  &objective_value, part_of.data()),
              "METIS_PartGraphKway");
  buffer<device::cpu, local_id> made(vertices);
  for (idx_t v = 0; v < vertices; ++v) {
    made[v] = static_cast<local_id>(part_of[static_cast<std::size_t>(v)]);
  }
  return made;
}

// Returns by how many bits weights of a sum must be shortened, so that METIS can count them.
[[nodiscard]] inline int metis_shift(std::int64_t sum) noexcept {
  int shift = 0;
  while (sum >> shift > std::numeric_limits<idx_t>::max() / 4) {
    ++shift;
  }
  return shift;
}

[[nodiscard]] inline std::int64_t shortened_weight(std::int64_t weight, int shift) noexcept {
  return (weight >> shift) + (shift > 0 && weight > 0 ? 1 : 0);
}

} // namespace detail

/// METIS: multilevel k-way partitioning, the fewest cut edges for the most memory.
///
/// Ignores the graph's directions and self-loops; edges between the same vertices are merged. METIS aims at balance,
/// and `repair_balance` moves the excess and fills empty parts. A graph with no more vertices than parts, or without
/// edges and limits, is divided equally without METIS.
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
  /// @throws library_error       if METIS fails
  /// @cost   O((V + E) log P) or so; about 60 bytes an edge
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    detail::check_slack("METIS", capacity_slack);
    detail::check_metis_call(cuts, refinements);
    auto const n = graph.num_rows();
    if (num_parts == 1 || n <= num_parts || (graph.num_edges() == 0 && balance.empty())) {
      return detail::equal_shares(n, num_parts, [](std::int64_t place) { return place; });
    }
    auto undirected = detail::make_metis_graph(graph);
    auto weights = detail::make_metis_weights(n, capacity_slack, balance);
    auto part_of = detail::call_metis(undirected, weights, num_parts,
                                      {.seed = seed,
                                       .objective = objective == goal::edge_cut ? METIS_OBJTYPE_CUT : METIS_OBJTYPE_VOL,
                                       .cuts = cuts,
                                       .refinements = refinements});
    auto limits = balance;
    limits.push_back(balance_limit::vertices(capacity_slack));
    return repair_balance(graph, std::move(part_of), limits, num_parts);
  }

  /// Divides the smallest graph of a `multilevel_partitioner<metis_partitioner>`, for the fewest cut edges and by
  /// the options `cuts` and `refinements` alone. Takes the division of `greedy_coarsest` if it cuts fewer edges, as
  /// around hubs.
  ///
  /// Weights whose sum is more than METIS can count are shortened. A graph with no more vertices than parts, or without
  /// edges, is divided as by `greedy_coarsest`.
  ///
  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts, cuts or refinements < 1, a limit is wrong, or V or E is more than METIS
  ///                             can count
  /// @throws library_error       if METIS fails
  /// @cost   O((V + E) log P) or so
  [[nodiscard]] buffer<device::cpu, local_id> operator()(weighted_graph const& graph, balance_constraints const& limits,
                                                         int num_parts, std::uint64_t by_seed) const {
    auto const rows = graph.rows.view();
    detail::check_partition(rows, num_parts);
    detail::check_metis_call(cuts, refinements);
    if (num_parts == 1 || rows.num_rows() <= num_parts || rows.num_edges() == 0) {
      return greedy_coarsest{}(graph, limits, num_parts, by_seed);
    }
    detail::check_metis_size(rows.num_edges(), "number of edges of the contracted graph");
    auto const shift =
        detail::metis_shift(std::accumulate(graph.weights.begin(), graph.weights.end(), std::int64_t{0}));
    detail::metis_graph made{.offsets = {rows.offsets().begin(), rows.offsets().end()},
                             .neighbors = {rows.sources().begin(), rows.sources().end()},
                             .weights = {}};
    for (auto const weight : graph.weights) {
      made.weights.push_back(static_cast<idx_t>(detail::shortened_weight(weight, shift)));
    }
    auto shortened = limits;
    detail::balance_totals const totals(limits, rows.num_rows());
    for (std::size_t i = 0; i < limits.size(); ++i) {
      shortened[i].share = [of = limits[i].share, by = detail::metis_shift(totals.columns()[i].total)](std::int64_t v) {
        auto share = of(v);
        share.weight = detail::shortened_weight(share.weight, by);
        return share;
      };
    }
    auto weights = detail::make_metis_weights(rows.num_rows(), std::nullopt, std::move(shortened));
    detail::best_division best(graph, limits, num_parts);
    best.offer(
        detail::call_metis(made, weights, num_parts, {.seed = by_seed, .cuts = cuts, .refinements = refinements}));
    best.offer(greedy_coarsest{.tries = 2}(graph, limits, num_parts, by_seed));
    return std::move(best).result();
  }
};

} // namespace glt
