// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt::detail {

/// Rounds that move vertices out of parts that exceed limits: see `repair_balance`. The rows of the graph come in any
/// pieces, but in the same order every round.
///
/// @cost   a round is O(V log V + E); memory 20 bytes a vertex
class balance_repair {
public:
  /// @throws precondition_error  if num_parts < 1, a part is not in [0, num_parts), or a limit is wrong
  balance_repair(buffer<device::cpu, local_id> part_of, balance_constraints const& limits, int num_parts)
      : loads_(limits, part_of.size(), (check_num_parts(num_parts), num_parts)), part_of_(std::move(part_of)) {
    neighbors_.resize(static_cast<std::size_t>(num_parts), 0);
    for (std::int64_t v = 0; v < part_of_.size(); ++v) {
      if (part_of_[v] < 0 || part_of_[v] >= num_parts) {
        throw precondition_error(message("vertex ", v, " is in part ", part_of_[v], ", outside [0, ", num_parts, ")"));
      }
      loads_.weigh(v);
      loads_.add(part(v));
    }
    excess_ = loads_.excess();
    emptiest_ = loads_.emptiest();
  }

  /// True while a part exceeds a limit, and another round may help.
  [[nodiscard]] bool wants_round() const noexcept { return excess_ > 0 && rounds_ < most_rounds; }

  /// Finds the part to which each of the vertices first, first + 1, … could move.
  ///
  /// @pre    the rows belong to the graph, and columns are in [0, V); not checked
  template <vertex_id Vertex>
  void see_rows(std::int64_t first, csr_view<memory_space::host, Vertex> rows) {
    for (std::int64_t i = 0; i < rows.num_rows(); ++i) {
      see(first + i, rows.row(i));
    }
  }

  /// Moves vertices, the cheapest first, after all rows were seen.
  void finish_round() {
    std::ranges::sort(moves_, [](move const& a, move const& b) {
      return a.price != b.price ? a.price < b.price : a.vertex < b.vertex;
    });
    std::vector<bool> made(moves_.size(), false);
    bool any = true;
    for (int scan = 0; any && scan < most_scans; ++scan) { // moves may push another part above a limit
      any = false;
      for (std::size_t i = 0; i < moves_.size(); ++i) {
        loads_.weigh(moves_[i].vertex);
        auto const from = part(moves_[i].vertex);
        if (!made[i] && loads_.exceeds(from) && loads_.relief(from, static_cast<std::size_t>(moves_[i].to)) > 0) {
          make(moves_[i]);
          any = made[i] = true;
        }
      }
    }
    ++rounds_;
    auto const before = std::exchange(excess_, loads_.excess());
    if (!(excess_ < before)) {
      for (std::size_t i = 0; i < moves_.size(); ++i) {
        if (made[i]) {
          loads_.weigh(moves_[i].vertex);
          make(moves_[i]);
        }
      }
      rounds_ = most_rounds;
    }
    moves_.clear();
    if (excess_ > 0 && rounds_ == most_rounds) {
      spread();
    }
    emptiest_ = loads_.emptiest();
  }

  /// Fills empty parts first, if there are enough vertices.
  ///
  /// @shape  → [V]
  [[nodiscard]] buffer<device::cpu, local_id> result() && {
    fill_empty_parts();
    return std::move(part_of_);
  }

private:
  static constexpr int most_rounds = 8;
  static constexpr int most_scans = 16;

  struct move {
    float price; // additional cut edges per relief of the loads
    local_id to; // destination; after the move, the part that it left
    std::int64_t vertex;
  };

  [[nodiscard]] std::size_t part(std::int64_t vertex) const { return static_cast<std::size_t>(part_of_[vertex]); }

  // Moves the vertex of the last `weigh`, or moves it back.
  void make(move& of) {
    loads_.remove(part(of.vertex));
    std::swap(part_of_[of.vertex], of.to);
    loads_.add(part(of.vertex));
  }

  void move_to(std::int64_t vertex, local_id to) {
    loads_.remove(part(vertex));
    part_of_[vertex] = to;
    loads_.add(part(vertex));
  }

  // Moves vertices to the parts with the least load, without regard to edges. Undone if the excess stays.
  void spread() {
    std::vector<std::pair<std::int64_t, local_id>> moved; // with the part that the vertex left
    bool any = true;
    emptiest_ = loads_.emptiest();
    for (int scan = 0; any && scan < most_scans; ++scan) {
      any = false;
      for (std::int64_t v = 0; v < part_of_.size(); ++v) {
        loads_.weigh(v);
        auto const from = part(v);
        if (!loads_.exceeds(from)) {
          continue;
        }
        auto best = from;
        for (auto const& weight : loads_.weights()) {
          auto const to = emptiest_[weight.column];
          auto const relief = to == from ? 0.0 : loads_.relief(from, to);
          best = relief > (best == from ? 0.0 : loads_.relief(from, best)) ? to : best;
        }
        if (best != from) {
          moved.emplace_back(v, part_of_[v]);
          move_to(v, static_cast<local_id>(best));
          emptiest_ = loads_.emptiest();
          any = true;
        }
      }
    }
    auto const before = std::exchange(excess_, loads_.excess());
    if (!(excess_ < before)) {
      for (auto at = moved.rbegin(); at != moved.rend(); ++at) {
        loads_.weigh(at->first);
        move_to(at->first, at->second);
      }
      excess_ = before;
    }
  }

  // Takes the last vertices of the parts that have most of them. A part of one vertex exceeds no limit.
  void fill_empty_parts() {
    std::vector<std::int64_t> sizes(neighbors_.size(), 0);
    for (auto const to : part_of_) {
      ++sizes[static_cast<std::size_t>(to)];
    }
    auto empty = std::ranges::find(sizes, 0);
    if (empty == sizes.end() || part_of_.size() < std::ssize(sizes)) {
      return;
    }
    std::vector<std::int64_t> to_give(sizes.size(), 0);
    std::vector<std::pair<std::int64_t, std::size_t>> fullest; // a heap; of equal parts, the last comes first
    for (std::size_t of = 0; of < sizes.size(); ++of) {
      fullest.emplace_back(sizes[of], of);
    }
    std::ranges::make_heap(fullest);
    for (auto missing = std::ranges::count(sizes, 0); missing > 0; --missing) {
      std::ranges::pop_heap(fullest);
      auto& [size, of] = fullest.back();
      ++to_give[of];
      --size;
      std::ranges::push_heap(fullest);
    }
    for (auto v = part_of_.size() - 1; empty != sizes.end(); --v) {
      if (to_give[part(v)] > 0) {
        --to_give[part(v)];
        part_of_[v] = static_cast<local_id>(empty - sizes.begin());
        empty = std::find(empty + 1, sizes.end(), 0);
      }
    }
  }

  template <class Neighbors>
  void see(std::int64_t vertex, Neighbors const& neighbors) {
    loads_.weigh(vertex);
    auto const from = part(vertex);
    for (auto const u : neighbors) {
      neighbors_[part(u)] += u != vertex ? 1 : 0;
    }
    auto const staying = std::exchange(neighbors_[from], 0);
    move best{.price = 0, .to = -1, .vertex = vertex};
    auto const consider = [&](std::size_t to) {
      auto const relief = to == from ? 0.0 : loads_.relief(from, to);
      if (relief > 0) {
        auto const price = static_cast<float>(static_cast<double>(staying - neighbors_[to]) / relief);
        if (best.to < 0 || price < best.price || (price == best.price && static_cast<local_id>(to) < best.to)) {
          best.price = price;
          best.to = static_cast<local_id>(to);
        }
      }
    };
    for (auto const& weight : loads_.weights()) {
      consider(emptiest_[weight.column]);
    }
    for (auto const u : neighbors) {
      if (neighbors_[part(u)] > 0) {
        consider(part(u));
        neighbors_[part(u)] = 0;
      }
    }
    if (best.to >= 0) {
      moves_.push_back(best);
    }
  }

  balance_loads loads_;
  buffer<device::cpu, local_id> part_of_;
  std::vector<std::int64_t> neighbors_; // by part; all 0 between vertices
  std::vector<std::size_t> emptiest_;   // by group of the limits
  std::vector<move> moves_;             // one a vertex
  double excess_ = 0;
  int rounds_ = 0;
};

} // namespace glt::detail

namespace glt {

/// Moves vertices out of parts that exceed limits; first the vertices that cut fewest edges for the relief.
///
/// A partitioner that assigns one vertex after the other, and METIS, keep limits only while they find room. If all
/// limits hold, no vertex moves, except into empty parts: if V >= num_parts, every part gets a vertex. A limit on
/// vertices alone is always kept. Limits on several amounts at once pose a packing problem, for which single moves need
/// not find the solution: the parts then exceed them less than before, or are unchanged. The slack that they reach can
/// be above the least one, by some percent where a part has few vertices.
///
/// @shape  graph [V] rows · part_of [V] → [V]
/// @pre    sources are in [0, V); not checked, see `validate`
/// @throws precondition_error  if num_parts < 1, the graph is not square, part_of does not have one entry a vertex, an
///                             entry is outside [0, num_parts), or a limit is wrong
/// @cost   O(V · limits) if the limits hold; else up to 8 rounds of O(V log V + E), and 20 bytes a vertex
template <vertex_id Vertex>
[[nodiscard]] buffer<device::cpu, local_id> repair_balance(csr_view<memory_space::host, Vertex> graph,
                                                           buffer<device::cpu, local_id> part_of,
                                                           balance_constraints const& limits, int num_parts) {
  detail::check_partition(graph, num_parts);
  if (part_of.size() != graph.num_rows()) {
    throw precondition_error(detail::message("parts of ", part_of.size(), " vertices for a graph of ", graph.num_rows(),
                                             "; give one for each"));
  }
  detail::balance_repair repair(std::move(part_of), limits, num_parts);
  while (repair.wants_round()) {
    repair.see_rows(0, graph);
    repair.finish_round();
  }
  return std::move(repair).result();
}

} // namespace glt
