// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/detail/orders.hpp>
#include <glt/partition/detail/row_visits.hpp>
#include <glt/partition/multilevel/weighted_graph.hpp>

namespace glt::detail {

/// Graph of the clusters of a graph whose rows come in any pieces, in the order of their ids.
///
/// Clusters are neighbours if edges connect them; the weight is the sum of the edges' weights. The order of a row is
/// that in which its neighbours come, so the result does not depend on the pieces.
///
/// @cost   O(V + E); memory 8 bytes a vertex, and up to 64 bytes an undirected edge of the result
class contraction {
public:
  /// @shape  cluster_of [V], of 0 to the largest; not checked
  /// @pre    there is a vertex; not checked
  explicit contraction(buffer<device::cpu, local_id> cluster_of)
      : cluster_of_(std::move(cluster_of)), num_clusters_(std::int64_t{std::ranges::max(cluster_of_)} + 1) {}

  /// @pre    every row comes once, in the order of the ids, from both ends of every edge; not checked
  template <class Vertex>
  void see_rows(std::int64_t first, weighted_rows<Vertex> rows) {
    if (rows.rows.num_rows() == cluster_of_.size()) {
      contract(rows);
      return;
    }
    for (std::int64_t row = 0; row < rows.rows.num_rows(); ++row) {
      sums_.start(rows.rows.degree(row), num_clusters_);
      auto const own = cluster_of_[first + row];
      add_row(own, row, rows);
      sums_.for_each([&](local_id other, std::int64_t sum) { add(own, other, sum); });
    }
  }

  [[nodiscard]] std::int64_t num_clusters() const noexcept { return num_clusters_; }

  /// Returns the sums of a value of the vertices by cluster.
  ///
  /// @shape  → [num_clusters]
  template <class Value>
  [[nodiscard]] std::vector<std::int64_t> sum(Value value) const {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(num_clusters_), 0);
    for (std::int64_t v = 0; v < cluster_of_.size(); ++v) {
      sums[static_cast<std::size_t>(cluster_of_[v])] += value(v);
    }
    return sums;
  }

  /// Returns the part of every vertex by the parts of the clusters.
  ///
  /// @shape  → [V]
  [[nodiscard]] buffer<device::cpu, local_id> project(host_view<local_id const> part_of_clusters) && {
    for (auto& label : cluster_of_) {
      label = part_of_clusters[label];
    }
    return std::move(cluster_of_);
  }

  /// Returns the graph after all rows have come, and frees the table of edges.
  [[nodiscard]] weighted_graph take_graph() {
    slots_ = {};
    std::vector<edge> sorted(edges_.size());
    row_places rows(num_clusters_);
    for (auto const& one : edges_) {
      rows.count(one.row);
    }
    rows.finish_counting();
    for (auto const& one : edges_) {
      sorted[static_cast<std::size_t>(rows.place(one.row))] = one;
    }
    edges_ = {};
    row_places places(num_clusters_);
    for (auto const& [row, neighbor, weight] : sorted) {
      places.count(row);
      places.count(neighbor);
    }
    buffer<device::cpu, local_id> neighbors(places.finish_counting());
    std::vector<std::int64_t> weights(static_cast<std::size_t>(neighbors.size()));
    auto const put = [&](local_id row, local_id neighbor, std::int64_t weight) {
      auto const place = places.place(row);
      neighbors[place] = neighbor;
      weights[static_cast<std::size_t>(place)] = weight;
    };
    for (auto const& [row, neighbor, weight] : sorted) {
      put(row, neighbor, weight);
      put(neighbor, row, weight);
    }
    return {.rows = {num_clusters_, std::move(places).offsets(), std::move(neighbors)}, .weights = std::move(weights)};
  }

private:
  struct edge {
    local_id row;
    local_id neighbor;
    std::int64_t weight;
  };

  template <class Vertex>
  void add_row(local_id own, std::int64_t row, weighted_rows<Vertex> rows) {
    for (auto e = rows.rows.offset(row); e < rows.rows.offset(row + 1); ++e) {
      auto const other = cluster_of_[rows.rows.source(e)];
      if (own < other) {
        sums_.add(other, rows.weight(e));
      }
    }
  }

  // Cluster after cluster, which needs no table of all edges.
  template <class Vertex>
  void contract(weighted_rows<Vertex> const& rows) {
    row_places places(num_clusters_);
    for (auto const cluster : cluster_of_) {
      places.count(cluster);
    }
    buffer<device::cpu, std::int64_t> members(places.finish_counting());
    for (std::int64_t v = 0; v < cluster_of_.size(); ++v) {
      members[places.place(cluster_of_[v])] = v;
    }
    auto const first = std::move(places).offsets();
    for (local_id cluster = 0; cluster < num_clusters_; ++cluster) {
      auto const of_cluster = members.view().subview(first[cluster], first[cluster + 1] - first[cluster]);
      std::int64_t degree = 0;
      for (auto const v : of_cluster) {
        degree += rows.rows.degree(v);
      }
      sums_.start(degree, num_clusters_);
      visit_rows(
          rows.rows, cluster_of_.data(), of_cluster.size(), [&](std::int64_t i) { return of_cluster[i]; },
          [&](std::int64_t v) { add_row(cluster, v, rows); });
      sums_.for_each([&](local_id other, std::int64_t sum) { edges_.push_back({cluster, other, sum}); });
    }
  }

  void add(local_id row, local_id neighbor, std::int64_t weight) {
    if (2 * (edges_.size() + 1) > slots_.size()) {
      slots_.assign(std::max<std::size_t>(2 * slots_.size(), 1024), 0);
      for (std::size_t i = 0; i < edges_.size(); ++i) {
        slots_[find(edges_[i].row, edges_[i].neighbor)] = i + 1;
      }
    }
    auto& slot = slots_[find(row, neighbor)];
    if (slot == 0) {
      edges_.push_back({row, neighbor, 0});
      slot = edges_.size();
    }
    edges_[slot - 1].weight += weight;
  }

  [[nodiscard]] std::size_t find(local_id row, local_id neighbor) const {
    auto const mask = slots_.size() - 1;
    auto slot = mix64(static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(neighbor)) & mask;
    while (slots_[slot] != 0 &&
           (edges_[slots_[slot] - 1].row != row || edges_[slots_[slot] - 1].neighbor != neighbor)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  buffer<device::cpu, local_id> cluster_of_;
  std::int64_t num_clusters_;
  label_sums sums_;
  std::vector<edge> edges_;        // from the lower cluster, in the order in which they came
  std::vector<std::size_t> slots_; // 1 + place in edges_; 0 in a free slot
};

} // namespace glt::detail
