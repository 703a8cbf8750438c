// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/detail/part_capacities.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/hotness/hotness.hpp>

namespace glt::detail {

/// Dealer that gives parts equal ranges of the list of seeds.
struct deal_in_ranges {};

} // namespace glt::detail

namespace glt::dist {

/// Partitioner that puts a vertex where training seeds reach it most, so ranks mostly sample local vertices.
///
/// First the seeds are dealt to the parts: in ranges of their list, or to the part that another partitioner, `deal`,
/// gives the vertex of a seed. Then the hotness of every vertex is estimated for the seeds of each part.
/// `assign_by_hotness` assigns vertices by these estimates.
///
/// @source Tan et al., "Quiver: supporting GPUs for low-latency, high-throughput GNN serving", 2023: placement by
///         access probability
template <class Deal = detail::deal_in_ranges>
struct frequency_partitioner {
  host_view<global_id const> seeds{}; ///< borrowed; vertices of the graph
  hotness_options hotness{};          ///< how a part will sample
  double capacity_slack = 0.05;       ///< a part has at most (1 + slack) · V / P vertices, rounded up
  balance_constraints balance{};      ///< kept, like the capacity, while a part has room
  Deal deal{};
  device::cpu policy{}; ///< threads for the estimate

  /// @shape  graph [V] rows → [V]
  /// @pre    sources are in [0, V); not checked, see `validate`
  /// @throws precondition_error  if num_parts < 1, the graph is not square, a seed is not in [0, V), the hotness
  ///                             options are wrong, capacity_slack is negative, or `balance` is wrong
  /// @cost   O(P · (V + E) · L + V log V) plus the cost of `deal`; memory 8 bytes per vertex and part
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    glt::detail::check_partition(graph, num_parts);
    detail::validate(hotness);
    detail::validate_vertices("seed", seeds, graph.num_rows());
    auto const seeds_of = dealt(graph, num_parts);
    buffer<device::cpu, double> estimates(num_parts * graph.num_rows());
    for (int part = 0; part < num_parts; ++part) {
      auto const estimate = estimate_hotness(graph, seeds_of[static_cast<std::size_t>(part)], hotness, policy);
      copy(estimate.view(), estimates.view().subview(part * graph.num_rows(), graph.num_rows()));
    }
    return detail::assign_by_hotness({estimates.data(), num_parts, graph.num_rows()},
                                     {.capacity_slack = capacity_slack, .balance = balance});
  }

private:
  template <class Vertex>
  [[nodiscard]] std::vector<std::vector<Vertex>> dealt(csr_view<memory_space::host, Vertex> graph,
                                                       int num_parts) const {
    std::vector<std::vector<Vertex>> seeds_of(static_cast<std::size_t>(num_parts));
    auto const give = [&](std::int64_t i, local_id part) {
      seeds_of[static_cast<std::size_t>(part)].push_back(static_cast<Vertex>(seeds[i]));
    };
    if constexpr (std::same_as<Deal, detail::deal_in_ranges>) {
      auto const part_of = glt::detail::equal_shares(seeds.size(), num_parts, [](std::int64_t place) { return place; });
      for (std::int64_t i = 0; i < seeds.size(); ++i) {
        give(i, part_of[i]);
      }
    } else {
      auto const part_of = deal(graph, num_parts);
      for (std::int64_t i = 0; i < seeds.size(); ++i) {
        give(i, part_of[seeds[i]]);
      }
    }
    return seeds_of;
  }
};

} // namespace glt::dist
