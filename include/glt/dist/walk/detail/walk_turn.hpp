// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/prefetch.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/walk/detail/walk_rounds.hpp>
#include <glt/graph/csr.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/walk/detail/walk_block.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace glt::dist {

/// The rows of a relation that this rank owns, and who owns which.
template <memory_space Space, vertex_id Vertex>
struct owned_rows {
  csr_view<Space, Vertex> rows;
  partition_book const* book = nullptr;
};

/// A walker along a cycle of relations.
struct path_walker {
  std::uint64_t name = 0; ///< as `walk_draws::bits`; before it has one, its number among the walks of its start
  local_id row = 0;       ///< at the owner of its vertex
  std::int32_t home = 0;
  std::int32_t walk = 0;
  std::int32_t step = 0;
};

/// One that now and then returns to its start.
struct returning_walker : path_walker {
  global_id start = 0;
};

/// Moves walkers along a cycle of relations, as `walk_block` does.
template <memory_space Space, vertex_id Vertex, class Walker>
struct walk_turn {
  std::span<owned_rows<Space, Vertex> const> path;
  int rank;
  random_key key;
  original_ids<Space> original; // of the rows of path[0]
  std::int64_t length;
  std::uint32_t return_below;

  static constexpr bool returns = requires(Walker walker) { walker.start; };

  [[nodiscard]] Walker set_off(Vertex start, int owner, std::int64_t number, int home, std::int32_t walk) const {
    Walker walker;
    walker.name = static_cast<std::uint64_t>(number);
    walker.row = static_cast<local_id>(start - path[0].book->begin(owner));
    walker.home = home;
    walker.walk = walk;
    if constexpr (returns) {
      walker.start = start;
    }
    return walker;
  }

  void name(Walker& walker) const {
    walker.name = walk_draws(key, static_cast<std::int64_t>(walker.name), original[walker.row]).bits();
  }

  void operator()(std::span<Walker> walkers, std::span<walk_move> moves, std::span<walk_visit<Vertex>> visits) const {
    for (std::size_t first = 0; first < walkers.size(); first += size) {
      auto const count = std::min(size, walkers.size() - first);
      block all;
      all.walkers = walkers.subspan(first, count);
      all.moves = moves.subspan(first, count);
      all.visits = visits.subspan(first * steps_of_turn);
      run(all, count);
    }
  }

private:
  static constexpr auto size = static_cast<std::size_t>(glt::detail::walkers_at_once);
  static constexpr edge_offset returned = -1;

  struct words {
    walk_draws::words steps;
    walk_draws::words returns;
  };

  struct block {
    std::span<Walker> walkers;
    std::span<walk_move> moves;
    std::span<walk_visit<Vertex>> visits;
    std::array<words, size> random;
    std::array<edge_offset, size> taken;
    std::array<std::size_t, size> walking; // who goes on
  };

  void run(block& all, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      all.moves[i] = {.rank = rank, .steps = 0};
      all.walking[i] = i;
      draw(all, i);
      prefetch_row(all.walkers[i]);
    }
    for (std::int64_t step = 0; step < steps_of_turn && count > 0; ++step) {
      count = go(all, choose(all, count));
    }
  }

  void draw(block& all, std::size_t i) const {
    walk_draws const draws(all.walkers[i].name);
    all.random[i].steps = draws.of_steps(all.walkers[i].step);
    if constexpr (returns) {
      all.random[i].returns = draws.of_returns(all.walkers[i].step);
    }
  }

  // Decides on the edges to take; returns the number of those that go on.
  std::size_t choose(block& all, std::size_t count) const {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
      auto const i = all.walking[k];
      auto const& walker = all.walkers[i];
      auto const& graph = relation(walker).rows;
      auto const degree = graph.degree(walker.row);
      if (degree == 0) {
        all.moves[i].rank = walk_move::ended;
        continue;
      }
      if (walker.step % 4 == 0) {
        draw(all, i);
      }
      auto const word = static_cast<std::size_t>(walker.step % 4);
      all.walking[kept++] = i;
      if (returns && all.random[i].returns[word] < return_below) {
        all.taken[i] = returned;
        continue;
      }
      all.taken[i] = graph.offset(walker.row) +
                     walk_draws(walker.name).position(walker.step, all.random[i].steps[word], degree);
      glt::detail::prefetch(graph.sources().data() + all.taken[i]);
    }
    return kept;
  }

  std::size_t go(block& all, std::size_t count) const {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
      auto const i = all.walking[k];
      auto& walker = all.walkers[i];
      auto& move = all.moves[i];
      auto const taken = all.taken[i];
      auto& visit = all.visits[i * steps_of_turn + static_cast<std::size_t>(move.steps++)];
      auto const& graph = relation(walker).rows;
      visit = taken == returned ? walk_visit<Vertex>{start_of(walker), -1}
                                : walk_visit<Vertex>{graph.source(taken), graph.id_of_edge(taken)};
      ++walker.step;
      move.rank = walker.step == length ? walk_move::ended : enter(walker, visit.vertex);
      if (move.rank == rank) {
        all.walking[kept++] = i;
        prefetch_row(walker);
      }
    }
    return kept;
  }

  // Puts a walker on the row of its vertex, and returns the rank that has it.
  [[nodiscard]] std::int32_t enter(Walker& walker, Vertex vertex) const {
    auto const& book = *relation(walker).book;
    bool const stays = vertex >= book.begin(rank) && vertex < book.end(rank);
    auto const owner = stays ? rank : book.owner(vertex);
    walker.row = static_cast<local_id>(vertex - book.begin(owner));
    return owner;
  }

  [[nodiscard]] owned_rows<Space, Vertex> const& relation(Walker const& walker) const noexcept {
    return path[path.size() == 1 ? 0 : static_cast<std::size_t>(walker.step) % path.size()];
  }

  static Vertex start_of([[maybe_unused]] Walker const& walker) noexcept {
    if constexpr (returns) {
      return static_cast<Vertex>(walker.start);
    } else {
      return -1;
    }
  }

  void prefetch_row(Walker const& walker) const noexcept {
    glt::detail::prefetch_row(relation(walker).rows, walker.row);
  }
};

} // namespace glt::dist
