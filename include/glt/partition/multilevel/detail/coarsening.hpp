// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/detail/orders.hpp>
#include <glt/partition/detail/row_visits.hpp>
#include <glt/partition/multilevel/weighted_graph.hpp>

namespace glt::detail {

/// Clusters of a graph by label propagation: a vertex joins the cluster with most of its edges that has room.
///
/// Rows come in any pieces, once a round. Clusters hold up to `usual` times the mean size of a vertex. If they contain
/// less than half of the edges after a round, they may grow to `most`.
///
/// @cost   a round is O(V + E), and of long rows some neighbours are read; memory 24 bytes a vertex
/// @source Meyerhenke, Sanders, Schulz, "Partitioning complex networks via size-constrained clustering", SEA 2014;
///         clusters of vertices that find no room: Gottesbüren et al., "Deep multilevel graph partitioning", ESA 2021
class clustering {
public:
  /// @shape  sizes [V]: shares of the vertices, in the units of `most`
  clustering(std::vector<std::uint32_t> sizes, std::uint32_t most, double usual, std::uint64_t seed)
      : sizes_(std::move(sizes)), cluster_sizes_(sizes_), cluster_of_(std::ssize(sizes_)), most_(most),
        salt_(random_key(seed).bits()) {
    std::iota(cluster_of_.begin(), cluster_of_.end(), local_id{0});
    wished_.assign(cluster_of_.begin(), cluster_of_.end());
    auto const total = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
    auto const wanted =
        usual * static_cast<double>(total) / static_cast<double>(std::max(std::size_t{1}, sizes_.size()));
    limit_ = wanted < most ? static_cast<std::uint32_t>(wanted) : most;
  }

  /// Moves the vertices first, first + 1, … by their rows.
  template <class Vertex>
  void see_rows(std::int64_t first, weighted_rows<Vertex> rows) {
    visit_rows(
        rows.rows, cluster_of_.data(), rows.rows.num_rows(), [](std::int64_t i) { return i; },
        [&](std::int64_t row) { see(first + row, row, rows); });
  }

  /// Ends a round; false if another one would change little.
  bool finish_round() {
    if (2 * inside_ < seen_) {
      limit_ = most_;
    }
    bool const more = 16 * moved_ > cluster_of_.size();
    inside_ = seen_ = moved_ = 0;
    return more;
  }

  /// Numbers the clusters from 0, after it has joined isolated vertices, and single vertices that wished the same
  /// cluster.
  ///
  /// @shape  → [V]
  [[nodiscard]] buffer<device::cpu, local_id> result() && {
    constexpr local_id none = -1;
    auto& members = sizes_; // in place of the sizes; a cluster of one vertex has the vertex's size
    std::ranges::fill(members, 0U);
    for (auto const label : cluster_of_) {
      ++members[static_cast<std::size_t>(label)];
    }
    std::vector<local_id> open(members.size(), none); // by the cluster that the vertices wished
    auto open_isolated = none;
    for (std::size_t v = 0; v < members.size(); ++v) {
      auto const vertex = static_cast<local_id>(v);
      if (members[v] != 1 || cluster_of_[vertex] != vertex) {
        continue;
      }
      auto& other = wished_[v] == vertex ? open_isolated : open[static_cast<std::size_t>(wished_[v])];
      if (other != none && cluster_sizes_[v] <= limit_ && size_of(other) <= limit_ - cluster_sizes_[v]) {
        cluster_of_[vertex] = other;
        size_of(other) += cluster_sizes_[v];
      } else {
        other = vertex;
      }
    }
    std::ranges::fill(open, none);
    local_id next = 0;
    for (auto& label : cluster_of_) {
      auto& number = open[static_cast<std::size_t>(label)];
      number = number == none ? next++ : number;
      label = number;
    }
    return std::move(cluster_of_);
  }

private:
  // Neighbours that a vertex looks at; more cost time and hardly change the choice.
  static constexpr std::int64_t most_neighbors = 64;

  [[nodiscard]] std::uint32_t& size_of(local_id cluster) { return cluster_sizes_[static_cast<std::size_t>(cluster)]; }

  template <class Vertex>
  void see(std::int64_t vertex, std::int64_t row, weighted_rows<Vertex> rows) {
    auto const from = cluster_of_[vertex];
    auto const stride = (rows.rows.degree(row) + most_neighbors - 1) / most_neighbors;
    auto const last = rows.rows.offset(row + 1);
    sums_.start(std::min(rows.rows.degree(row), most_neighbors), cluster_of_.size());
    for (auto e = rows.rows.offset(row); e < last; e += stride) {
      if (rows.rows.source(e) != vertex) {
        sums_.add(cluster_of_[rows.rows.source(e)], rows.weight(e));
        seen_ += rows.weight(e);
      }
    }
    auto const size = sizes_[static_cast<std::size_t>(vertex)];
    auto best = from;
    auto best_sum = sums_[from];
    auto best_rank = rank_of(from);
    auto wished = from;
    auto wished_sum = best_sum;
    auto wished_rank = best_rank;
    sums_.for_each([&](local_id label, std::int64_t sum) {
      if (sum < best_sum || label == from) {
        return;
      }
      auto const rank = rank_of(label);
      if (sum > wished_sum || (sum == wished_sum && rank < wished_rank)) {
        wished = label;
        wished_sum = sum;
        wished_rank = rank;
      }
      if ((sum > best_sum || rank < best_rank) && size <= limit_ && size_of(label) <= limit_ - size) {
        best = label;
        best_sum = sum;
        best_rank = rank;
      }
    });
    wished_[static_cast<std::size_t>(vertex)] = wished;
    inside_ += best_sum;
    if (best != from) {
      size_of(from) -= size;
      size_of(best) += size;
      cluster_of_[vertex] = best;
      ++moved_;
    }
  }

  // Of clusters with equal sums, the one of the lowest rank is taken: random, but the same for all vertices.
  [[nodiscard]] std::uint64_t rank_of(local_id cluster) const noexcept {
    return mix64(salt_ ^ static_cast<std::uint64_t>(cluster));
  }

  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> cluster_sizes_;
  buffer<device::cpu, local_id> cluster_of_;
  std::vector<local_id> wished_; // cluster with most edges, even if it is full
  std::uint32_t most_;
  std::uint32_t limit_ = 0;
  std::uint64_t salt_;
  label_sums sums_;
  std::int64_t seen_ = 0;   // weights of edges in this round
  std::int64_t inside_ = 0; // weights of edges within clusters
  std::int64_t moved_ = 0;
};

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
