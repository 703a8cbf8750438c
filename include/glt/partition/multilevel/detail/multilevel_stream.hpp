// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/multilevel/detail/coarsening.hpp>
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

/// Rounds over the rows of a graph that divide it, see `multilevel_partitioner`. The rows come in any pieces, in the
/// order of their ids, with both directions of every edge.
///
/// @cost   memory 40 bytes a vertex, and 64 bytes an undirected edge of the contracted graph
template <class Coarsest>
class multilevel_stream {
public:
  /// Called by `multilevel_partitioner::stream`; the limits include one on vertices.
  multilevel_stream(std::int64_t num_vertices, balance_constraints limits, multilevel_plan const& plan,
                    Coarsest coarsest)
      : plan_(plan), coarsest_(std::move(coarsest)), limits_(std::move(limits)), totals_(limits_, num_vertices) {
    if (plan_.num_parts == 1 || num_vertices <= plan_.num_parts) {
      part_of_ = equal_shares(num_vertices, plan_.num_parts, [](std::int64_t place) { return place; });
      return;
    }
    std::vector<double> scales; // of a weight to a share of a part
    for (auto const& column : totals_.columns()) {
      auto const capacity = part_capacity(column.total, column.heaviest, column.slack, plan_.num_parts);
      scales.push_back(multilevel_plan::whole / static_cast<double>(std::max<std::int64_t>(capacity, 1)));
    }
    sizes_.reserve(static_cast<std::size_t>(num_vertices));
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      totals_.weigh(v);
      double share = 0;
      for (auto const& [column, amount] : totals_.weights()) {
        auto const of_limit = static_cast<std::uint32_t>(static_cast<double>(amount) * scales[column]);
        share += of_limit; // whole numbers, so that a compiler cannot fuse the product and the sum
      }
      sizes_.push_back(static_cast<std::uint32_t>(std::clamp<double>(share, 1, multilevel_plan::whole)));
    }
    clusters_.emplace(sizes_, plan_.most_of_part, plan_.shrinking, plan_.seed);
  }

  [[nodiscard]] bool wants_round() const noexcept { return clusters_ || contracted_ || refined_; }

  /// Takes the rows of the vertices first, first + 1, …
  ///
  /// @pre    the rows belong to the graph, and columns are in [0, V); not checked
  template <vertex_id Vertex>
  void see_rows(std::int64_t first, csr_view<memory_space::host, Vertex> rows) {
    if (clusters_) {
      clusters_->see_rows(first, weighted_rows<Vertex>{rows});
    } else if (contracted_) {
      contracted_->see_rows(first, weighted_rows<Vertex>{rows});
    } else {
      refined_->see_rows(first, weighted_rows<Vertex>{rows});
    }
  }

  void finish_round() {
    ++round_;
    if (clusters_) {
      if (!clusters_->finish_round() || round_ >= plan_.clustering_rounds) {
        contracted_.emplace(std::move(*clusters_).result());
        clusters_.reset();
      }
    } else if (contracted_) {
      refined_.emplace(divide_clusters(), limits_, plan_.num_parts);
      contracted_.reset();
      round_ = 0;
    } else if (!refined_->finish_round() || round_ >= plan_.refinement_rounds) {
      part_of_ = std::move(*refined_).result();
      refined_.reset();
    }
  }

  /// Returns the parts after the last round; limits may be exceeded, see `repair_balance`.
  ///
  /// @shape  → [V]
  [[nodiscard]] buffer<device::cpu, local_id> result() && { return std::move(part_of_); }

private:
  buffer<device::cpu, local_id> divide_clusters() {
    std::vector<double> slacks;
    for (auto const& column : totals_.columns()) {
      slacks.push_back(column.slack);
    }
    auto const level = graph_level::contract(*contracted_, sizes_, slacks, [&](std::size_t column, std::int64_t v) {
      totals_.weigh(v);
      std::int64_t sum = 0;
      for (auto const& weight : totals_.weights()) {
        sum += weight.column == column ? weight.amount : 0;
      }
      return sum;
    });
    sizes_ = {};
    return std::move(*contracted_).project(divide(level, plan_, coarsest_).view());
  }

  multilevel_plan plan_;
  Coarsest coarsest_;
  balance_constraints limits_;
  balance_totals totals_;
  std::vector<std::uint32_t> sizes_;
  std::optional<clustering> clusters_; // of these three, the one that takes rows
  std::optional<contraction> contracted_;
  std::optional<refinement> refined_;
  buffer<device::cpu, local_id> part_of_;
  int round_ = 0;
};

} // namespace glt::detail
