// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/detail/part_capacities.hpp>
#include <glt/partition/detail/row_visits.hpp>
#include <glt/partition/partitioner.hpp>

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
    visit_rows(rows, part_of_.data(), count, row_at,
               [&](std::int64_t row) { static_cast<void>(place_one(first + row, rows.row(row))); });
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

// Sends a whole graph through a stream, `passes` times.
template <class Rule, class Vertex>
buffer<device::cpu, local_id> stream_graph(vertex_stream<Rule> stream, csr_view<memory_space::host, Vertex> graph,
                                           stream_order order, std::uint64_t seed, int passes) {
  if (passes < 1) {
    throw precondition_error(message("stream of a graph with ", passes, " passes; there is at least 1"));
  }
  buffer<device::cpu, Vertex> shuffled;
  if (order == stream_order::random) {
    shuffled = make_random_permutation<Vertex>(graph.num_rows(), random_key(seed));
  }
  for (int pass = 0; pass < passes; ++pass) {
    if (pass > 0) {
      stream.restart();
    }
    if (order == stream_order::random) {
      stream.place_rows(graph, std::as_const(shuffled).view());
    } else {
      stream.place_rows(0, graph);
    }
  }
  return std::move(stream).result();
}

/// Returns the most vertices that a method assigns to a part: (1 + slack) · V / P, rounded up.
///
/// @throws precondition_error  if num_parts < 1, or slack is negative or not a number
[[nodiscard]] inline std::int64_t vertex_capacity(char const* method, std::int64_t num_vertices, double slack,
                                                  int num_parts) {
  check_num_parts(num_parts);
  check_slack(method, slack);
  return part_capacity(num_vertices, 1, slack, num_parts);
}

} // namespace glt::detail
