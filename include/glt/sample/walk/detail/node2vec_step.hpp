// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/walk/detail/edge_lookups.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/detail/walk_kernel.hpp>

#include <array>
#include <span>

namespace glt::detail {

/// Walker of the second order. It draws a candidate at its vertex's owner, and may have it judged at the previous
/// vertex's owner.
template <class Vertex = global_id, class Number = std::int32_t>
struct second_order_walker {
  walk_draws draws; ///< as in `path_walker`
  Vertex at;
  Vertex previous;  ///< −1 before the first step
  Vertex candidate; ///< to be judged, or −1
  edge_id edge;     ///< leads to a candidate from another rank
  std::uint32_t attempt;
  std::int32_t home;
  Number walk;
  std::int32_t step;

  GLT_HOST_DEVICE void set_start(global_id vertex, auto) noexcept {
    at = static_cast<Vertex>(vertex);
    previous = candidate = -1;
    edge = -1;
    attempt = 0;
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row_in(auto const& rows) const noexcept { return rows.row_of(at); }
};

/// An attempt at a step of a node2vec walk, as far as it can be made here. If the previous vertex's row matters and is
/// remote, the walker goes there with its candidate. `walk_block` describes the members.
template <class Rows>
struct node2vec_step {
  Rows rows;
  bool ascending; ///< as `rows_ascend` says
  node2vec_choice choice;

  template <class Walker>
  struct state : Walker {
    walk_draws::words words;
    edge_offset taken;
    verdict decided;
    bool neighbor; // of the previous vertex, if that matters
  };

  GLT_HOST_DEVICE void begin(auto& it) const noexcept {
    it.neighbor = false;
    rows.prefetch(it, rows.row_of(it.at));
  }

  GLT_HOST_DEVICE void draw(auto) const noexcept {}

  [[nodiscard]] GLT_HOST_DEVICE bool choose(auto& it) const noexcept {
    it.taken = nowhere;
    it.words = it.draws.of_attempt(it.step, it.attempt);
    if (is_brought(it)) {
      return true;
    }
    auto const row = rows.row_of(it.at);
    auto const degree = rows.graph.degree(row);
    if (degree == 0) {
      return false;
    }
    if (auto const position = node2vec_choice::position(it.words, degree); position >= 0) {
      it.taken = rows.graph.offset(row) + position;
      prefetch(rows.graph.sources().data() + it.taken);
    }
    return true;
  }

  GLT_HOST_DEVICE void look(auto& it) const noexcept {
    it.decided = verdict::reject;
    if (it.taken != nowhere) {
      it.candidate = rows.graph.source(it.taken);
    } else if (!is_brought(it)) {
      return;
    }
    it.decided = choice.decide(it.words, it.previous, it.candidate);
    if constexpr (!Rows::all) {
      if (is_open(it.decided) && !rows.has(it.previous)) {
        if (it.taken != nowhere) {
          it.edge = rows.graph.id_of_edge(it.taken);
        }
        static_cast<void>(rows.enter(it, it.previous));
        return;
      }
    }
    rows.prefetch(it, rows.row_of(it.candidate));
  }

  GLT_HOST_DEVICE void judge(auto& it) const noexcept {
    if (asks(it)) {
      it.neighbor = edges()(rows.row_of(it.previous), static_cast<source_type>(it.candidate));
    }
  }

  /// @pre    there are at most `walkers_at_once`; not checked
  template <class State>
  void judge(std::span<State> walking) const noexcept {
    std::array<edge_lookup<source_type>, walkers_at_once> lookups;
    std::array<State*, walkers_at_once> asking;
    std::size_t count = 0;
    for (auto& it : walking) {
      if (asks(it)) {
        lookups[count].row = rows.row_of(it.previous);
        lookups[count].source = static_cast<source_type>(it.candidate);
        asking[count++] = &it;
      }
    }
    look_up(edges(), std::span(lookups).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      asking[i]->neighbor = lookups[i].found;
    }
  }

  GLT_HOST_DEVICE void go(auto& it, auto const& walkers) const {
    if (!rows.is_here(it)) {
      return; // to be judged
    }
    if (accepts(it.decided, it.neighbor)) {
      walkers.visit(it, static_cast<source_type>(it.candidate), *this);
      ++it.step;
      it.previous = it.at;
      it.at = it.candidate;
      it.attempt = 0;
    } else {
      ++it.attempt;
    }
    if constexpr (!Rows::all) {
      it.candidate = -1;
      static_cast<void>(rows.enter(it, it.at));
    }
  }

  /// Returns the id of the edge that `it` is about to take.
  [[nodiscard]] GLT_HOST_DEVICE edge_id edge_of(auto const& it) const noexcept {
    return Rows::all || it.taken != nowhere ? rows.graph.id_of_edge(it.taken) : it.edge;
  }

  void advance() noexcept {}

private:
  using source_type = typename decltype(Rows::graph)::vertex_type;
  static constexpr edge_offset nowhere = -1;

  // True for a walker that arrived with a candidate.
  [[nodiscard]] static GLT_HOST_DEVICE bool is_brought(auto const& it) noexcept {
    return !Rows::all && it.candidate >= 0;
  }
  [[nodiscard]] GLT_HOST_DEVICE bool asks(auto const& it) const noexcept {
    return is_open(it.decided) && rows.is_here(it);
  }
  [[nodiscard]] GLT_HOST_DEVICE auto edges() const noexcept {
    return edge_search<decltype(Rows::graph)::space, source_type>{rows.graph, ascending};
  }
};

} // namespace glt::detail
