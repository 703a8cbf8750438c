// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/random_permutation.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/partitioner.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt {

namespace detail {

// Finds the lowest part of the smallest size; sizes only grow between calls. O(V + P) for V calls.
class smallest_part {
public:
  explicit smallest_part(std::vector<std::int64_t> const& sizes) : sizes_(sizes) {}

  [[nodiscard]] local_id find() {
    while (!candidates_.empty() && sizes_[static_cast<std::size_t>(candidates_.back())] != level_) {
      candidates_.pop_back();
    }
    if (candidates_.empty()) {
      level_ = std::ranges::min(sizes_);
      for (auto p = sizes_.size(); p-- > 0;) {
        if (sizes_[p] == level_) {
          candidates_.push_back(static_cast<local_id>(p));
        }
      }
    }
    return candidates_.back();
  }

private:
  std::vector<std::int64_t> const& sizes_;
  std::int64_t level_ = 0;
  std::vector<local_id> candidates_;
};

} // namespace detail

/// Linear deterministic greedy: vertices arrive in a keyed random order, and each goes to the part that holds
/// most of its in-neighbours, weighted by the room that the part has left.
///
/// Ties go to the smaller part, then to the lower one. Every further pass repeats the stream with the whole
/// assignment of the pass before known, which lowers the edge cut.
///
/// @source Stanton & Kliot, "Streaming graph partitioning for large distributed graphs", KDD 2012; further
///         passes: Nishimura & Ugander, "Restreaming graph partitioning", KDD 2013
struct ldg_partitioner {
  std::uint64_t seed = 1;
  double capacity_slack = 0.05; ///< a part has at most (1 + slack) · V / P vertices, rounded up
  int passes = 5;

  /// @shape  graph [V] rows → [V]
  /// @pre    sources are in [0, V); not checked, see `validate`
  /// @throws precondition_error  if num_parts or passes < 1, capacity_slack is negative, or the graph is not
  ///                             square
  /// @cost   O(passes · (V + E) + P)
  template <vertex_id Vertex>
  [[nodiscard]] buffer<device::cpu, local_id> operator()(csr_view<memory_space::host, Vertex> graph,
                                                         int num_parts) const {
    detail::check_partition(graph, num_parts);
    if (!(capacity_slack >= 0) || passes < 1) {
      throw precondition_error(
          detail::message("LDG with capacity slack ", capacity_slack, " and ", passes,
                          " passes; the slack is 0 or more, and there is at least 1 pass"));
    }
    auto const n = graph.num_rows();
    auto const limit = capacity(n, num_parts);
    auto const order = make_random_permutation<Vertex>(n, random_key(seed));
    buffer<device::cpu, local_id> part_of(n);
    std::ranges::fill(part_of, unassigned);
    for (int pass = 0; pass < passes; ++pass) {
      stream(graph, order.view(), limit, num_parts, part_of.view());
    }
    return part_of;
  }

private:
  static constexpr local_id unassigned = -1;

  [[nodiscard]] std::int64_t capacity(std::int64_t n, int num_parts) const {
    auto const wished = std::ceil((1 + capacity_slack) * static_cast<double>(n) / num_parts);
    auto const needed = (n + num_parts - 1) / num_parts;
    return wished < static_cast<double>(n) ? std::max(needed, static_cast<std::int64_t>(wished)) : n;
  }

  template <class Vertex>
  static void stream(csr_view<memory_space::host, Vertex> graph, host_view<Vertex const> order,
                     std::int64_t limit, int num_parts, host_view<local_id> part_of) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(num_parts), 0);
    std::vector<std::int64_t> neighbors(static_cast<std::size_t>(num_parts), 0);
    std::vector<local_id> touched;
    detail::smallest_part smallest(sizes);
    for (auto const v : order) {
      for (auto const u : graph.row(v)) {
        auto const part = part_of[u];
        if (part != unassigned && u != v && neighbors[static_cast<std::size_t>(part)]++ == 0) {
          touched.push_back(part);
        }
      }
      local_id best = unassigned;
      double best_score = 0;
      for (auto const part : touched) {
        auto const p = static_cast<std::size_t>(part);
        // Counts are below 2^53, so the products, and with them the result, are the same everywhere.
        auto const score = static_cast<double>(neighbors[p]) * static_cast<double>(limit - sizes[p]);
        neighbors[p] = 0;
        if (score > best_score ||
            (score == best_score && best != unassigned && precedes(sizes, part, best))) {
          best = part;
          best_score = score;
        }
      }
      touched.clear();
      part_of[v] = best != unassigned ? best : smallest.find();
      ++sizes[static_cast<std::size_t>(part_of[v])];
    }
  }

  [[nodiscard]] static bool precedes(std::vector<std::int64_t> const& sizes, local_id a, local_id b) {
    auto const size_a = sizes[static_cast<std::size_t>(a)];
    auto const size_b = sizes[static_cast<std::size_t>(b)];
    return size_a != size_b ? size_a < size_b : a < b;
  }
};

} // namespace glt
