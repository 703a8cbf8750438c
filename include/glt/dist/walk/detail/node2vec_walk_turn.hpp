// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace glt::dist {

/// A walker of the second order: at the owner of its vertex to draw a candidate, or at that of the vertex
/// before to have one judged.
struct node2vec_wanderer {
  static constexpr global_id none = -1;
  std::uint64_t name = 0; ///< as that of a `path_walker`
  global_id at = none;
  global_id previous = none;
  global_id candidate = none; ///< to be judged
  edge_id edge = none;        ///< that led to the candidate
  std::uint32_t attempt = 0;
  std::int32_t home = 0;
  std::int32_t walk = 0;
  std::int32_t step = 0;
};

/// Moves walkers as `node2vec_block` does.
template <memory_space Space, vertex_id Vertex>
struct node2vec_walk_turn {
  edge_search<Space, Vertex> edges;
  partition_book const* book;
  int rank;
  random_key key;
  original_ids<Space> original;
  std::int64_t length;
  glt::detail::node2vec_choice choice;

  using walker_type = node2vec_wanderer;

  [[nodiscard]] walker_type set_off(Vertex start, int, std::int64_t number, int home, std::int32_t walk) const {
    walker_type walker;
    walker.name = static_cast<std::uint64_t>(number);
    walker.at = start;
    walker.home = home;
    walker.walk = walk;
    return walker;
  }

  void name(walker_type& walker) const {
    walker.name = walk_draws(key, static_cast<std::int64_t>(walker.name), original[row_of(walker.at)]).bits();
  }

  void operator()(std::span<walker_type> walkers, std::span<walk_move> moves,
                  std::span<walk_visit<Vertex>> visits) const {
    for (std::size_t i = 0; i < walkers.size(); ++i) {
      moves[i] = {.rank = rank, .steps = 0};
      while (moves[i].rank == rank && moves[i].steps < steps_of_turn) {
        auto const step = moves[i].steps;
        attempt(walkers[i], moves[i], visits[i * steps_of_turn + static_cast<std::size_t>(step)]);
      }
    }
  }

private:
  // One attempt at a step, or as much of it as this rank can see.
  void attempt(walker_type& walker, walk_move& move, walk_visit<Vertex>& visit) const {
    auto const words = walk_draws(walker.name).of_attempt(walker.step, walker.attempt);
    if (walker.candidate == walker_type::none) {
      auto const row = row_of(walker.at);
      auto const degree = edges.graph.degree(row);
      if (degree == 0) {
        move.rank = walk_move::ended;
        return;
      }
      auto const position = glt::detail::node2vec_choice::position(words, degree);
      if (position < 0) {
        ++walker.attempt;
        return;
      }
      walker.candidate = edges.graph.source(edges.graph.offset(row) + position);
      walker.edge = edges.graph.id_of_edge(edges.graph.offset(row) + position);
    }
    auto const decided = choice.decide(words, walker.previous, walker.candidate);
    bool neighbor = false;
    if (decided == glt::detail::verdict::accept_neighbor || decided == glt::detail::verdict::accept_stranger) {
      if (!owns(walker.previous)) {
        move.rank = book->owner(walker.previous);
        return;
      }
      neighbor = edges(row_of(walker.previous), static_cast<Vertex>(walker.candidate));
    }
    if (glt::detail::accepts(decided, neighbor)) {
      visit = {static_cast<Vertex>(walker.candidate), walker.edge};
      walker.previous = walker.at;
      walker.at = walker.candidate;
      walker.attempt = 0;
      ++walker.step;
      ++move.steps;
    } else {
      ++walker.attempt;
    }
    walker.candidate = walker_type::none;
    move.rank = walker.step == length ? walk_move::ended : owns(walker.at) ? rank : book->owner(walker.at);
  }

  [[nodiscard]] bool owns(global_id vertex) const noexcept {
    return vertex >= book->begin(rank) && vertex < book->end(rank);
  }
  [[nodiscard]] std::int64_t row_of(global_id vertex) const noexcept { return vertex - book->begin(rank); }
};

} // namespace glt::dist
