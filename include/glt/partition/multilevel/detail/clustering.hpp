// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
    auto wished = from;
    auto wished_sum = best_sum;
    sums_.for_each([&](local_id label, std::int64_t sum) {
      if (sum < best_sum || label == from) {
        return;
      }
      if (sum > wished_sum || (sum == wished_sum && precedes(label, wished))) {
        wished = label;
        wished_sum = sum;
      }
      if ((sum > best_sum || precedes(label, best)) && size <= limit_ && size_of(label) <= limit_ - size) {
        best = label;
        best_sum = sum;
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

  // Order of clusters with equal sums: random, but the same for all vertices.
  [[nodiscard]] bool precedes(local_id a, local_id b) const noexcept {
    return mix64(salt_ ^ static_cast<std::uint64_t>(a)) < mix64(salt_ ^ static_cast<std::uint64_t>(b));
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

} // namespace glt::detail
