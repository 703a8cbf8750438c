// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/detail/row_visits.hpp>
#include <glt/partition/multilevel/weighted_graph.hpp>

namespace glt::detail {

/// Rounds of label propagation between parts: a vertex moves to the part with most of its edges that has room.
///
/// A vertex of a part above a limit moves to another part even if that cuts edges. Equal gains decide for the load.
/// Rows come in any pieces, once a round.
///
/// @cost   a round is O(V + E + P); memory O(P · limits) beside the parts
class refinement {
public:
  /// @shape  part_of [V], in [0, num_parts), not checked
  refinement(buffer<device::cpu, local_id> part_of, balance_constraints const& limits, int num_parts)
      : loads_(limits, part_of.size(), num_parts), part_of_(std::move(part_of)),
        sums_(static_cast<std::size_t>(num_parts), 0) {
    for (std::int64_t v = 0; v < part_of_.size(); ++v) {
      loads_.weigh(v);
      loads_.add(static_cast<std::size_t>(part_of_[v]));
    }
  }

  /// Moves the vertices first, first + 1, … by their rows.
  template <class Vertex>
  void see_rows(std::int64_t first, weighted_rows<Vertex> rows) {
    visit_rows(
        rows.rows, part_of_.data(), rows.rows.num_rows(), [](std::int64_t i) { return i; },
        [&](std::int64_t row) { see(first + row, row, rows); });
  }

  /// Ends a round; false if another one would change little.
  bool finish_round() { return 200 * std::exchange(moved_, 0) > part_of_.size(); }

  /// Returns the sum of the loads above the limits, as shares of these.
  [[nodiscard]] double excess() const { return loads_.excess(); }

  /// @shape  → [V]
  [[nodiscard]] buffer<device::cpu, local_id> result() && { return std::move(part_of_); }

private:
  template <class Vertex>
  void see(std::int64_t vertex, std::int64_t row, weighted_rows<Vertex> rows) {
    auto const from = static_cast<std::size_t>(part_of_[vertex]);
    auto const neighbors = rows.rows.row(row);
    auto const begin = rows.rows.offset(row);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < neighbors.size(); ++i) {
      auto const weight = neighbors[i] != vertex ? rows.weight(begin + i) : 0;
      sums_[static_cast<std::size_t>(part_of_[neighbors[i]])] += weight;
      sum += weight;
    }
    if (sums_[from] == sum) {
      sums_[from] = 0;
      return;
    }
    loads_.weigh(vertex);
    auto best = from;
    auto best_sum = loads_.exceeds(from) ? -1 : sums_[from];
    auto const consider = [&](std::size_t part) {
      if (sums_[part] > 0 && sums_[part] >= best_sum && part != from && loads_.has_capacity(part) &&
          (sums_[part] > best_sum || loads_.relief(best, part) > 0)) {
        best = part;
        best_sum = sums_[part];
      }
    };
    if (neighbors.size() < std::ssize(sums_)) {
      for (auto const u : neighbors) {
        auto const part = static_cast<std::size_t>(part_of_[u]);
        consider(part);
      }
      for (auto const u : neighbors) {
        sums_[static_cast<std::size_t>(part_of_[u])] = 0;
      }
    } else {
      for (std::size_t part = 0; part < sums_.size(); ++part) {
        consider(part);
      }
      std::ranges::fill(sums_, 0);
    }
    if (best != from) {
      loads_.remove(from);
      loads_.add(best);
      part_of_[vertex] = static_cast<local_id>(best);
      ++moved_;
    }
  }

  balance_loads loads_;
  buffer<device::cpu, local_id> part_of_;
  std::vector<std::int64_t> sums_; // by part; all 0 between vertices
  std::int64_t moved_ = 0;
};

} // namespace glt::detail
