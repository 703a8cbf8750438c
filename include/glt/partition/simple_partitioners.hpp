// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/partitioner.hpp>

#include <map>

namespace glt {

namespace detail {

// Returns the part of a vertex whose middle lies behind this share of all weights.
[[nodiscard]] inline local_id part_at_share(double share, int num_parts) noexcept {
  return static_cast<local_id>(std::min(share * num_parts, num_parts - 1.0));
}

// Cuts of ranges for equal weights; vertices of different groups are cut separately.
class weighted_cuts {
public:
  weighted_cuts(balance_constraints const& limits, std::int64_t num_vertices) : totals_(limits, num_vertices) {
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      auto& of_kind = kind_of(v);
      ++of_kind.vertices.total;
      for (std::size_t i = 0; i < totals_.weights().size(); ++i) {
        of_kind.weights[i].total += totals_.weights()[i].amount;
      }
    }
  }

  // Returns the part of the next vertex; call in the order of the ids.
  [[nodiscard]] local_id place(std::int64_t vertex, int num_parts) {
    auto& of_kind = kind_of(vertex);
    double share = 0; // of the weights before the middle of this vertex
    int counted = 0;
    auto const pass = [&](progress& weight, std::int64_t amount) {
      auto const middle = static_cast<double>(weight.passed) + 0.5 * static_cast<double>(amount);
      share += middle / static_cast<double>(weight.total);
      weight.passed += amount;
      ++counted;
    };
    for (std::size_t i = 0; i < of_kind.weights.size(); ++i) {
      if (of_kind.weights[i].total > 0) {
        pass(of_kind.weights[i], totals_.weights()[i].amount);
      }
    }
    if (counted == 0) {
      pass(of_kind.vertices, 1);
    }
    return part_at_share(share / counted, num_parts);
  }

private:
  struct progress {
    std::int64_t total = 0;
    std::int64_t passed = 0;
  };
  struct kind {
    std::vector<progress> weights; // by limit
    progress vertices;
  };

  // Weighs the vertex; consecutive vertices are mostly of one kind.
  kind& kind_of(std::int64_t vertex) {
    totals_.weigh(vertex);
    auto const same = std::ranges::equal(totals_.weights(), last_groups_, {}, &balance_totals::weight::column);
    if (last_ == nullptr || !same) {
      last_groups_.clear();
      for (auto const& weight : totals_.weights()) {
        last_groups_.push_back(weight.column);
      }
      last_ = &kinds_[last_groups_];
      last_->weights.resize(last_groups_.size());
    }
    return *last_;
  }

  balance_totals totals_;
  std::map<std::vector<std::size_t>, kind> kinds_; // by the groups of a vertex
  std::vector<std::size_t> last_groups_;
  kind* last_ = nullptr;
};

} // namespace detail

/// Partitioner into ranges of ids, in order; relabelling then changes nothing.
///
/// Without limits the sizes differ by at most one vertex. With limits the cuts divide the weights equally, as nearly as
/// whole vertices allow; of several limits the mean share counts. Vertices of different groups, such as types, are cut
/// separately: every part gets a range of each. A slack is ignored, and so is a limit without weight; if no limit is
/// left, the number of vertices is divided.
struct contiguous_partitioner {
  balance_constraints balance{};

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1, the graph is not square, or `balance` is wrong
  /// @cost   O(V + P), and O(V · limits) with limits
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    if (balance.empty()) {
      return detail::equal_shares(graph.num_rows(), num_parts, [](std::int64_t place) { return place; });
    }
    detail::weighted_cuts cuts(balance, graph.num_rows());
    buffer<device::cpu, local_id> part_of(graph.num_rows());
    for (std::int64_t v = 0; v < part_of.size(); ++v) {
      part_of[v] = cuts.place(v, num_parts);
    }
    return part_of;
  }
};

/// Partitioner into equal shares of a keyed shuffle of the vertices; sizes differ by at most one vertex.
struct random_partitioner {
  std::uint64_t seed = 1;

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1 or the graph is not square
  /// @cost   O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    auto const n = graph.num_rows();
    auto const order = detail::make_random_permutation<Vertex>(n, random_key(seed));
    return detail::equal_shares(n, num_parts, [&](std::int64_t place) { return order[place]; });
  }
};

/// Keyed hash of the vertex: the part of any vertex is computed without a graph or communication.
///
/// Sizes of parts vary as with random draws, by about √(V / P).
struct hash_partitioner {
  std::uint64_t seed = 1;

  /// Returns the part of one vertex.
  ///
  /// @pre    num_parts is 1 or more; not checked
  [[nodiscard]] local_id part_of(global_id vertex, int num_parts) const noexcept {
    auto const word = random_key(seed).fold(static_cast<std::uint64_t>(vertex)).bits() >> 32;
    return static_cast<local_id>(word * static_cast<std::uint64_t>(num_parts) >> 32);
  }

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1 or the graph is not square
  /// @cost   O(V)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    buffer<device::cpu, local_id> parts(graph.num_rows());
    for (std::int64_t v = 0; v < parts.size(); ++v) {
      parts[v] = part_of(v, num_parts);
    }
    return parts;
  }
};

/// Given parts, borrowed.
struct assigned_partitioner {
  host_view<local_id const> parts{}; ///< [V]

  /// @shape  graph [V] rows → [V]
  /// @throws precondition_error  if num_parts < 1, the graph is not square, there is not one part per vertex, or naming
  ///                             the first vertex whose part is not in [0, num_parts)
  /// @cost   O(V + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    if (parts.size() != graph.num_rows()) {
      throw precondition_error(detail::message("parts of ", parts.size(), " vertices for a graph of ", graph.num_rows(),
                                               " rows; give one part per vertex"));
    }
    static_cast<void>(detail::make_partition_book(parts, num_parts));
    return make_buffer<device::cpu>(parts);
  }
};

} // namespace glt
