// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt {

/// Undirected graph with weights of edges: every edge lies in the rows of both its ends, and there are no self-loops.
///
/// @shape  weights [E], 1 or more
struct weighted_graph {
  csr_graph<device::cpu, local_id> rows;
  std::vector<std::int64_t> weights;
};

} // namespace glt

namespace glt::detail {

/// Small value that divides the smallest graph of `multilevel_partitioner`.
///
/// Models: `greedy_coarsest`, `metis_partitioner`.
///
/// - `p(graph, limits, num_parts, seed)`: the part of every vertex, [V], in [0, num_parts); the same for the same
///   arguments. Limits should be kept approximately; every limit has one group.
template <class P>
concept coarsest_partitioner = std::copyable<P> && requires(P const& p, weighted_graph const& graph,
                                                            balance_constraints const& limits, std::uint64_t seed) {
  { p(graph, limits, 2, seed) } -> std::same_as<buffer<device::cpu, local_id>>;
};

// Rows of a graph with or without weights of edges.
template <class Vertex>
struct weighted_rows {
  csr_view<memory_space::host, Vertex> rows;
  host_view<std::int64_t const> weights{};

  [[nodiscard]] std::int64_t weight(edge_offset edge) const noexcept { return weights.empty() ? 1 : weights[edge]; }
};

[[nodiscard]] inline weighted_rows<local_id> rows_of(weighted_graph const& graph) {
  return {graph.rows.view(), graph.weights};
}

/// Makes rounds over a whole graph, at most so many, until another one would change little.
template <class Rounds, class Vertex>
void make_rounds(Rounds& rounds, weighted_rows<Vertex> rows, int most) {
  bool more = true;
  for (int round = 0; more && round < most; ++round) {
    rounds.see_rows(0, rows);
    more = rounds.finish_round();
  }
}

/// Sums of weights by label, for the neighbours of one vertex or cluster at a time.
///
/// The part of the table in use is as large as the row needs, so that it stays in the cache for small rows.
class label_sums {
public:
  /// Forgets all sums and makes room for the labels of some edges; labels are in [0, num_labels).
  void start(std::int64_t num_edges, std::int64_t num_labels) {
    for (auto const slot : used_) {
      slots_[slot].sum = 0;
    }
    used_.clear();
    auto const most = std::min(2 * num_edges + 2, num_labels); // with room for all labels, every one has its own slot
    mask_ = std::bit_ceil(static_cast<std::size_t>(most)) - 1;
    if (slots_.size() <= mask_) {
      slots_.resize(mask_ + 1);
    }
  }

  /// @pre    the weight is 1 or more; there are no more labels than `start` made room for; not checked
  void add(local_id label, std::int64_t weight) {
    auto const slot = find(label);
    if (slots_[slot].sum == 0) {
      slots_[slot].label = label;
      used_.push_back(static_cast<std::uint32_t>(slot));
    }
    slots_[slot].sum += weight;
  }

  [[nodiscard]] std::int64_t operator[](local_id label) const { return slots_[find(label)].sum; }

  /// Calls f(label, sum) for every label, in the order of their first additions.
  template <class F>
  void for_each(F f) const {
    for (auto const slot : used_) {
      f(slots_[slot].label, slots_[slot].sum);
    }
  }

private:
  struct entry {
    local_id label = 0;
    std::int64_t sum = 0; // 0 in a free slot
  };

  [[nodiscard]] std::size_t find(local_id label) const {
    auto slot = static_cast<std::size_t>(label) & mask_;
    while (slots_[slot].sum != 0 && slots_[slot].label != label) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }

  std::vector<entry> slots_;
  std::vector<std::uint32_t> used_;
  std::size_t mask_ = 0;
};

} // namespace glt::detail
