// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/detail/orders.hpp>
#include <glt/partition/multilevel/detail/refinement.hpp>
#include <glt/partition/multilevel/weighted_graph.hpp>
#include <glt/partition/repair_balance.hpp>

#include <ranges>

namespace glt::detail {

/// Best of several divisions of a small weighted graph, each refined: the nearest to the limits, and then the one with
/// the fewest cut edges.
class best_division {
public:
  best_division(weighted_graph const& graph, balance_constraints const& limits, int num_parts)
      : graph_(graph), limits_(limits), num_parts_(num_parts) {}

  /// @shape  part_of [V], in [0, num_parts)
  void offer(buffer<device::cpu, local_id> part_of) {
    refinement refined(repair_balance(graph_.rows.view(), std::move(part_of), limits_, num_parts_), limits_,
                       num_parts_);
    make_rounds(refined, rows_of(graph_), refinement_rounds);
    auto const excess = refined.excess();
    auto made = std::move(refined).result();
    std::pair const cost(excess, cut_of(made.view()));
    if (best_.size() == 0 || cost < cost_) {
      cost_ = cost;
      best_ = std::move(made);
    }
  }

  /// @shape  → [V]
  [[nodiscard]] buffer<device::cpu, local_id> result() && { return std::move(best_); }

private:
  static constexpr int refinement_rounds = 8;

  [[nodiscard]] std::int64_t cut_of(host_view<local_id const> part_of) const {
    auto const rows = graph_.rows.view();
    std::int64_t cut = 0;
    for (std::int64_t v = 0; v < rows.num_rows(); ++v) {
      for (auto e = rows.offset(v); e < rows.offset(v + 1); ++e) {
        cut += part_of[rows.source(e)] != part_of[v] ? graph_.weights[static_cast<std::size_t>(e)] : 0;
      }
    }
    return cut;
  }

  weighted_graph const& graph_;
  balance_constraints const& limits_;
  int num_parts_;
  std::pair<double, std::int64_t> cost_{};
  buffer<device::cpu, local_id> best_;
};

} // namespace glt::detail

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
    detail::best_division best(graph, limits, num_parts);
    for (int attempt = 0; attempt < tries; ++attempt) {
      auto const order = detail::make_random_permutation<local_id>(
          graph.rows.view().num_rows(), random_key(seed).fold(static_cast<std::uint64_t>(attempt)));
      best.offer(grow(graph, limits, num_parts, order.view()));
    }
    return std::move(best).result();
  }

private:
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
