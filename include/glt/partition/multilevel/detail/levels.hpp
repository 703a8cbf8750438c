// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/multilevel/detail/clustering.hpp>
#include <glt/partition/multilevel/detail/contraction.hpp>
#include <glt/partition/multilevel/detail/refinement.hpp>
#include <glt/partition/repair_balance.hpp>

namespace glt::detail {

/// Numbers that all levels of a multilevel partitioner share.
struct multilevel_plan {
  static constexpr std::uint32_t whole = std::uint32_t{1} << 30; ///< size of a vertex that fills a part

  // A cluster fills at most this share of a part.
  static constexpr std::uint32_t most_of_part = whole / 14;
  // A level has about this many times fewer vertices than the level before.
  static constexpr double shrinking = 16;
  static constexpr int coarse_refinement_rounds = 8;
  // Levels of at most as many vertices are not contracted.
  static constexpr std::int64_t coarsest_size = 3000;

  int num_parts = 1;
  int clustering_rounds = 3;
  int refinement_rounds = 3;
  std::uint64_t seed = 1;
};

/// Graph of clusters, with the limits of its vertices.
///
/// @shape  sizes [V]: shares of a part, see `multilevel_plan::whole` · columns [limits][V], borrowed by the limits
struct graph_level {
  weighted_graph graph;
  std::vector<std::uint32_t> sizes;
  std::vector<std::vector<std::int64_t>> columns;
  balance_constraints limits;

  /// Contracts a level or a whole graph; value(c, v) is the weight of vertex v in column c.
  template <class Value>
  static graph_level contract(contraction& clusters, std::vector<std::uint32_t> const& sizes,
                              std::vector<double> const& slacks, Value value) {
    graph_level made{.graph = clusters.take_graph(), .sizes = {}, .columns = {}, .limits = {}};
    for (auto const size : clusters.sum([&](std::int64_t v) { return sizes[static_cast<std::size_t>(v)]; })) {
      made.sizes.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(size, multilevel_plan::whole)));
    }
    for (std::size_t c = 0; c < slacks.size(); ++c) {
      made.columns.push_back(clusters.sum([&](std::int64_t v) { return value(c, v); }));
    }
    for (std::size_t c = 0; c < slacks.size(); ++c) {
      made.limits.push_back(balance_limit::weights(
          "clusters", host_view<std::int64_t const>(made.columns[c].data(), std::ssize(made.columns[c])), slacks[c]));
    }
    return made;
  }
};

/// Divides a level: contracts it, divides the smaller level, and refines the parts.
///
/// @shape  → [V]
template <class Coarsest>
[[nodiscard]] buffer<device::cpu, local_id> divide(graph_level const& level, multilevel_plan const& plan,
                                                   Coarsest const& coarsest, std::uint64_t depth = 1) {
  auto const rows = rows_of(level.graph);
  auto const n = rows.rows.num_rows();
  std::optional<buffer<device::cpu, local_id>> part_of;
  if (n > plan.coarsest_size) {
    clustering clusters(level.sizes, plan.most_of_part, plan.shrinking, plan.seed + depth);
    make_rounds(clusters, rows, plan.clustering_rounds);
    auto cluster_of = std::move(clusters).result();
    if (contraction contracted(std::move(cluster_of)); contracted.num_clusters() < n / 10 * 9) {
      contracted.see_rows(0, rows);
      std::vector<double> slacks;
      for (auto const& limit : level.limits) {
        slacks.push_back(limit.slack);
      }
      auto const smaller = graph_level::contract(contracted, level.sizes, slacks, [&](auto c, auto v) {
        return level.columns[c][static_cast<std::size_t>(v)];
      });
      part_of = std::move(contracted).project(divide(smaller, plan, coarsest, depth + 1).view());
    }
  }
  if (!part_of) {
    part_of = coarsest(level.graph, level.limits, plan.num_parts, plan.seed);
  }
  refinement refined(repair_balance(rows.rows, *std::move(part_of), level.limits, plan.num_parts), level.limits,
                     plan.num_parts);
  make_rounds(refined, rows, plan.coarse_refinement_rounds);
  return std::move(refined).result();
}

} // namespace glt::detail
