// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/detail/orders.hpp>
#include <glt/partition/multilevel/detail/refinement.hpp>
#include <glt/partition/multilevel/weighted_graph.hpp>

#include <ranges>

namespace glt {

/// Division of a small weighted graph without another library; METIS cuts fewer edges.
///
/// Parts grow one after the other around the vertex with most edges into the part, and are refined. Of several tries,
/// from other first vertices, the one nearest to the limits and then with the fewest cut edges is taken.
///
/// @source Karypis & Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM J. Sci.
///         Comput. 20(1), 1998: greedy graph growing
struct greedy_coarsest {
  int tries = 8; ///< at least 1

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts or tries < 1, or a limit is wrong
  /// @cost   O(tries · (P · V + E log V))
  [[nodiscard]] buffer<device::cpu, local_id> operator()(weighted_graph const& graph, balance_constraints const& limits,
                                                         int num_parts, std::uint64_t seed) const {
    detail::check_partition(graph.rows.view(), num_parts);
    if (tries < 1) {
      throw precondition_error(detail::message("greedy_coarsest with ", tries, " tries; there is at least 1"));
    }
    buffer<device::cpu, local_id> best;
    std::pair<double, std::int64_t> best_cost;
    for (int attempt = 0; attempt < tries; ++attempt) {
      auto const order = detail::make_random_permutation<local_id>(
          graph.rows.view().num_rows(), random_key(seed).fold(static_cast<std::uint64_t>(attempt)));
      detail::refinement refined(grow(graph, limits, num_parts, order.view()), limits, num_parts);
      detail::make_rounds(refined, detail::rows_of(graph), refinement_rounds);
      auto const excess = refined.excess();
      auto made = std::move(refined).result();
      std::pair const cost(excess, cut_of(graph, made.view()));
      if (attempt == 0 || cost < best_cost) {
        best_cost = cost;
        best = std::move(made);
      }
    }
    return best;
  }

private:
  static constexpr int refinement_rounds = 8;

  static std::int64_t cut_of(weighted_graph const& graph, host_view<local_id const> part_of) {
    auto const rows = graph.rows.view();
    std::int64_t cut = 0;
    for (std::int64_t v = 0; v < rows.num_rows(); ++v) {
      for (auto e = rows.offset(v); e < rows.offset(v + 1); ++e) {
        cut += part_of[rows.source(e)] != part_of[v] ? graph.weights[static_cast<std::size_t>(e)] : 0;
      }
    }
    return cut;
  }

  static buffer<device::cpu, local_id> grow(weighted_graph const& graph, balance_constraints limits, int num_parts,
                                            host_view<local_id const> order) {
    constexpr local_id none = -1;
    auto const rows = graph.rows.view();
    for (auto& limit : limits) {
      limit.slack = 0; // a part ends at its equal share, so that enough is left for the others
    }
    detail::balance_loads loads(std::move(limits), rows.num_rows(), num_parts);
    buffer<device::cpu, local_id> part_of(rows.num_rows());
    std::ranges::fill(part_of, none);
    std::vector<std::int64_t> gains(static_cast<std::size_t>(rows.num_rows()));
    std::vector<std::pair<std::int64_t, local_id>> heap; // with gains that may be out of date
    for (local_id part = 0; part < num_parts; ++part) {
      std::ranges::fill(gains, 0);
      heap.clear();
      for (std::int64_t next = 0; next < order.size() || !heap.empty();) {
        auto [gain, v] = heap.empty() ? std::pair(std::int64_t{0}, order[next++]) : heap.front();
        if (!heap.empty()) {
          std::ranges::pop_heap(heap);
          heap.pop_back();
        }
        if (part_of[v] != none || gain != gains[static_cast<std::size_t>(v)]) {
          continue;
        }
        loads.weigh(v);
        if (!loads.has_capacity(static_cast<std::size_t>(part))) {
          continue;
        }
        loads.add(static_cast<std::size_t>(part));
        part_of[v] = part;
        for (auto e = rows.offset(v); e < rows.offset(v + 1); ++e) {
          auto const u = rows.source(e);
          if (part_of[u] == none) {
            heap.emplace_back(gains[static_cast<std::size_t>(u)] += graph.weights[static_cast<std::size_t>(e)], u);
            std::ranges::push_heap(heap);
          }
        }
      }
    }
    for (std::int64_t v = 0; v < part_of.size(); ++v) {
      if (part_of[v] == none) {
        loads.weigh(v);
        auto const parts = std::views::iota(std::size_t{0}, static_cast<std::size_t>(num_parts));
        auto const emptiest = std::ranges::min(parts, {}, [&](std::size_t part) { return loads.fullness(part); });
        loads.add(emptiest);
        part_of[v] = static_cast<local_id>(emptiest);
      }
    }
    return part_of;
  }
};

} // namespace glt
