// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/prefetch.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/stream/detail/part_capacities.hpp>

namespace glt::detail {

/// Stream that assigns every vertex as its row arrives, and never reads a row again; common to LDG and Fennel.
///
/// A rule scores the parts that have room by the neighbours they hold and by their size; the vertex goes to the part
/// with the best score. Ties go to the smaller part, then to the lower one. If limits leave room in no part, the vertex
/// goes to the part whose tightest capacity it exceeds least.
///
/// Rows may come from anywhere, for example in blocks of a file; every vertex comes once a pass, in any order. Passes
/// after the first know the whole assignment of the pass before.
///
/// A rule is a value with
/// - `rule.capacity()`: most vertices of a part
/// - `rule.level(size)`: term of the score that depends on the size; computed when the size changes
/// - `rule.score(neighbors, level)`: higher is better, and falls with the size
///
/// @cost   O(degree) a vertex, and O(P · limits) if limits leave little room; memory O(V + P · limits)
template <class Rule>
class vertex_stream {
public:
  /// Called by the partitioners: `ldg_partitioner::stream`, `fennel_partitioner::stream`.
  vertex_stream(Rule rule, std::int64_t num_vertices, int num_parts, balance_constraints const& limits)
      : rule_(std::move(rule)), part_of_(num_vertices), neighbors_(static_cast<std::size_t>(num_parts) + 1, 0),
        capacities_(rule_.capacity(), limits, num_vertices, num_parts),
        levels_(static_cast<std::size_t>(num_parts), rule_.level(0)) {
    std::ranges::fill(part_of_, unassigned);
  }

  /// Assigns one vertex and returns its part.
  ///
  /// @shape  neighbors: range of vertices in [0, V), not checked; an edge that comes twice counts twice
  /// @throws precondition_error  if the vertex is not in [0, V), or V vertices have come in this pass already
  template <class Neighbors>
  local_id place(std::int64_t vertex, Neighbors const& neighbors) {
    check_block(vertex, 1);
    return place_one(vertex, neighbors);
  }

  /// Assigns the vertices first, first + 1, … by the rows of a block of the graph, in this order.
  ///
  /// @shape  rows: any number of them; columns are the vertices of the whole graph
  /// @throws precondition_error  if the rows go beyond vertex V − 1, or beyond V vertices in this pass
  template <vertex_id Vertex>
  void place_rows(std::int64_t first, csr_view<memory_space::host, Vertex> rows) {
    check_block(first, rows.num_rows());
    place_each(first, rows, rows.num_rows(), [](std::int64_t i) { return i; });
  }

  /// Assigns the vertices of a whole graph in the order of a list.
  ///
  /// @shape  order [V], every vertex once, not checked
  /// @throws precondition_error  if the order does not have one entry a row, or a vertex has come in this pass already
  template <vertex_id Vertex>
  void place_rows(csr_view<memory_space::host, Vertex> graph, host_view<Vertex const> order) {
    check_block(0, graph.num_rows());
    if (order.size() != graph.num_rows()) {
      throw precondition_error(message("order of ", order.size(), " vertices for a graph of ", graph.num_rows(),
                                       " rows; give every vertex once"));
    }
    place_each(0, graph, order.size(), [order](std::int64_t i) { return std::int64_t{order[i]}; });
  }

  /// Begins another pass, in which the present assignment of a vertex counts until the vertex comes again.
  ///
  /// @throws precondition_error  if not every vertex has come in this pass
  /// @cost   O(V + P)
  void restart() {
    check_complete();
    placed_ = 0;
    capacities_.clear();
    std::ranges::fill(levels_, rule_.level(0));
  }

  /// Returns the parts of all vertices; the stream cannot be used afterwards.
  ///
  /// @shape  → [V]
  /// @throws precondition_error  if not every vertex has come in this pass
  [[nodiscard]] buffer<device::cpu, local_id> result() && {
    check_complete();
    return std::move(part_of_);
  }

private:
  static constexpr local_id unassigned = -1;
  // Prefetch distances in rows: `ahead` for the parts of the neighbours, twice that for the row, three times for its
  // offset.
  static constexpr std::int64_t ahead = 8;
  // A longer row hides its memory latency itself.
  static constexpr std::int64_t edges_ahead = 64;

  void check_block(std::int64_t first, std::int64_t count) const {
    if (first < 0 || first > part_of_.size() - count) {
      throw precondition_error(message("vertices ", first, " to ", first + count - 1,
                                       " of a stream, but vertices are in [0, ", part_of_.size(), ")"));
    }
    if (count > part_of_.size() - placed_) {
      throw precondition_error(message("vertex ", placed_ + count, " of a pass over ", part_of_.size(),
                                       " vertices; a vertex comes once a pass, and restart() begins another"));
    }
  }

  void check_complete() const {
    if (placed_ != part_of_.size()) {
      throw precondition_error(message("stream of ", placed_, " vertices so far; a pass has all ", part_of_.size(),
                                       ", those without edges as well"));
    }
    if (auto const missing = std::ranges::find(part_of_, unassigned); missing != part_of_.end()) {
      throw precondition_error(message("vertex ", missing - part_of_.begin(), " has not come, and another came ",
                                       "twice; every vertex comes once a pass"));
    }
  }

  template <class Vertex, class RowAt>
  void place_each(std::int64_t first, csr_view<memory_space::host, Vertex> rows, std::int64_t count, RowAt row_at) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (i + 3 * ahead < count) {
        prefetch(rows.offsets().data() + row_at(i + 3 * ahead));
      }
      if (i + 2 * ahead < count) {
        prefetch(rows.sources().data() + rows.offset(row_at(i + 2 * ahead)));
      }
      if (i + ahead < count) {
        auto const row = rows.row(row_at(i + ahead));
        for (auto const u : row.subview(0, std::min(row.size(), edges_ahead))) {
          prefetch(part_of_.data() + u);
        }
      }
      static_cast<void>(place_one(first + row_at(i), rows.row(row_at(i))));
    }
  }

  template <class Neighbors>
  local_id place_one(std::int64_t vertex, Neighbors const& neighbors) {
    part_of_[vertex] = unassigned; // self-loops do not count
    std::size_t degree = 0;
    for (auto const u : neighbors) {
      ++neighbors_[slot(part_of_[u])];
      ++degree;
    }
    capacities_.weigh(vertex);
    auto best = capacities_.smallest(); // the best of the parts without neighbours
    auto best_score = score(best);
    auto const consider = [&](std::size_t part) {
      if (neighbors_[part + 1] > 0 && capacities_.has_capacity(part)) {
        auto const found = score(part);
        if (found > best_score || (found == best_score && capacities_.sizes().precedes(part, best))) {
          best = part;
          best_score = found;
        }
      }
    };
    if (degree < levels_.size()) {
      for (auto const u : neighbors) {
        if (part_of_[u] != unassigned) {
          consider(static_cast<std::size_t>(part_of_[u]));
        }
        neighbors_[slot(part_of_[u])] = 0;
      }
    } else {
      for (std::size_t part = 0; part < levels_.size(); ++part) {
        consider(part);
      }
      std::ranges::fill(neighbors_, 0);
    }
    give(vertex, best);
    return part_of_[vertex];
  }

  // Place 0 counts neighbours without a part, which is cheaper than a branch.
  static std::size_t slot(local_id part) { return static_cast<std::size_t>(part + 1); }

  [[nodiscard]] auto score(std::size_t part) const { return rule_.score(neighbors_[part + 1], levels_[part]); }

  void give(std::int64_t vertex, std::size_t part) {
    part_of_[vertex] = static_cast<local_id>(part);
    capacities_.add(part);
    levels_[part] = rule_.level(capacities_.sizes()[part]);
    ++placed_;
  }

  Rule rule_;
  buffer<device::cpu, local_id> part_of_;
  std::vector<std::int64_t> neighbors_; // by part, from place 1 on; all 0 between vertices
  part_capacities capacities_;
  std::vector<decltype(std::declval<Rule const&>().level(0))> levels_; // by part
  std::int64_t placed_ = 0;                                            // in this pass
};

} // namespace glt::detail
