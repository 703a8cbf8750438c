// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/walk/detail/serial_walks.hpp>

namespace glt::detail {

/// Rows of other parts that a rank reads in place, as its walkers see them.
///
/// @shape  graphs, original [P], without offsets for a part that is not read; or both empty
template <memory_space Space, vertex_id Vertex>
struct rows_in_place {
  array_view<Space, csr_view<Space, Vertex> const> graphs;
  array_view<Space, original_ids<Space> const> original;

  [[nodiscard]] GLT_HOST_DEVICE bool has(std::int32_t part) const noexcept {
    return !graphs.empty() && !graphs[part].offsets().empty();
  }
};

/// Rows of this rank and of parts that are read in place, and owners of the other vertices; `all_rows` is the version
/// for a whole graph.
template <memory_space Space, vertex_id Vertex>
struct part_rows {
  static constexpr bool all = false;
  csr_view<Space, Vertex> graph;
  book_view<Space> book;
  std::int32_t rank;
  global_id first; ///< of the local vertices
  global_id last;
  rows_in_place<Space, Vertex> others{};

  [[nodiscard]] GLT_HOST_DEVICE bool has(global_id vertex) const noexcept {
    return owns(vertex) || (!others.graphs.empty() && others.has(book.owner(vertex)));
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row_of(global_id vertex) const noexcept {
    return vertex - (owns(vertex) ? first : book.begin(book.owner(vertex)));
  }
  [[nodiscard]] GLT_HOST_DEVICE csr_view<Space, Vertex> const& graph_of(auto const& it) const noexcept {
    return it.rank == rank ? graph : others.graphs[it.rank];
  }
  [[nodiscard]] GLT_HOST_DEVICE csr_view<Space, Vertex> const& graph_with(global_id vertex) const noexcept {
    return owns(vertex) ? graph : others.graphs[book.owner(vertex)];
  }

  [[nodiscard]] GLT_HOST_DEVICE local_id enter(auto& it, global_id vertex) const noexcept {
    bool const own = owns(vertex);
    it.rank = own ? rank : book.owner(vertex);
    return static_cast<local_id>(vertex - (own ? first : book.begin(it.rank)));
  }
  [[nodiscard]] GLT_HOST_DEVICE bool is_here(auto const& it) const noexcept {
    return it.rank == rank || others.has(it.rank);
  }
  GLT_HOST_DEVICE void prefetch(auto const& it, std::int64_t row) const noexcept {
    if (is_here(it) && row >= 0 && row < graph_of(it).num_rows()) {
      detail::prefetch(graph_of(it).offsets().data() + row);
    }
  }
  GLT_HOST_DEVICE void prefetch(global_id vertex) const noexcept {
    if (owns(vertex)) {
      detail::prefetch(graph.offsets().data() + (vertex - first));
    }
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE bool owns(global_id vertex) const noexcept { return vertex >= first && vertex < last; }
};

/// @param offsets  offsets of the book, in memory that lives as long as the rows are used
template <memory_space Space, vertex_id Vertex, class Offsets>
[[nodiscard]] part_rows<Space, Vertex> make_part_rows(csr_view<Space, Vertex> graph, int part,
                                                      partition_book const& book, Offsets const& offsets) {
  return {graph, book_view<Space>(offsets.view()), part, book.begin(part), book.end(part)};
}

/// Step of a walk, as reported to the walk's home rank.
template <vertex_id Vertex>
struct walk_visit {
  edge_id edge; ///< -1 if the walk took no edge
  std::int32_t walk;
  std::int32_t step; ///< number of the vertex in the walk
  Vertex vertex;
};

/// Destination of a walker, and the number of steps to report to its home.
struct walk_move {
  static constexpr std::int32_t ended = -1;
  std::int32_t rank;
  std::int32_t visits;
};

/// Largest number of visits that a walker away from home makes before it is handled again.
inline constexpr std::int32_t visits_at_once = 8;

/// Group of walkers on this rank. Those that pause in rows of another part go on at its owner.
///
/// @shape  walkers, moves [n], moves written · visits [n · visits_at_once], of each walker the first moves[i].visits
///         written
template <class Walker, memory_space Space, vertex_id Vertex>
struct part_walkers {
  struct walker : Walker {
    std::int64_t place;
    std::int32_t rank; // its next rank
    std::int32_t visits;
  };

  array_view<Space, Walker> walkers;
  array_view<Space, walk_move> moves;
  array_view<Space, walk_visit<Vertex>> visits;
  std::int32_t rank;
  std::int32_t length;
  bool edge_ids;
  walk_rows<Space, Vertex> out; // of the walks whose home is this rank
  rows_in_place<Space, Vertex> others{};
  bool start = false; // moves tell where walkers are; else they are in the rows of this rank

  GLT_HOST_DEVICE void load(std::int64_t i, walker& it) const {
    static_cast<Walker&>(it) = walkers[i];
    it.place = i;
    it.rank = start ? moves[i].rank : rank;
    it.visits = 0;
  }
  GLT_HOST_DEVICE void visit(auto& it, Vertex vertex, auto const& step) const {
    auto const edge = edge_ids ? step.edge_of(it) : edge_id{-1};
    walk_visit<Vertex> const made{edge, it.walk, it.step + 1, vertex};
    if (it.home == rank) {
      out.set(made.walk, made.step, made.vertex, made.edge);
    } else {
      visits[it.place * visits_at_once + it.visits++] = made;
    }
  }
  [[nodiscard]] GLT_HOST_DEVICE bool done(walker const& it) const noexcept {
    bool const here = it.rank == rank || others.has(it.rank);
    return !here || it.step == length || it.visits == visits_at_once;
  }
  GLT_HOST_DEVICE void leave(walker const& it) const {
    walkers[it.place] = it;
    moves[it.place] = {it.step == length ? walk_move::ended : it.rank, it.visits};
  }
  GLT_HOST_DEVICE void end(walker const& it) const { moves[it.place] = {walk_move::ended, it.visits}; }
};

} // namespace glt::detail
