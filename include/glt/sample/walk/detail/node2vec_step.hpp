// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/detail/walk_kernel.hpp>

namespace glt::detail {

/// Question whether a row has an edge from `source`.
template <vertex_id Vertex>
struct edge_lookup {
  Vertex source;
  Vertex const* low; ///< range of the row that is still to be searched
  Vertex const* high;
  bool found = false; ///< the result
};

/// Looks up some edges together in rows that ascend: the bisections overlap their cache misses.
///
/// @pre    the lookups fit the nearest caches; not checked
/// @cost   as `edge_search`
template <vertex_id Vertex>
void look_up(std::span<edge_lookup<Vertex>> lookups) noexcept {
  auto const middle = [](edge_lookup<Vertex> const& it) { return it.low + (it.high - it.low) / 2; };
  for (auto const& it : lookups) {
    prefetch(middle(it));
  }
  for (bool open = true; open;) {
    open = false;
    for (auto& it : lookups) {
      if (it.low == it.high) {
        continue;
      }
      auto const* const at = middle(it);
      auto const source = *at;
      it.found = source == it.source;
      it.low = source < it.source ? at + 1 : it.low;
      it.high = source < it.source ? it.high : it.found ? it.low : at;
      prefetch(middle(it));
      open = true;
    }
  }
}

/// Walker of the second order. It draws a candidate at its vertex's owner, and may have it judged at the previous
/// vertex's owner.
template <class Vertex = global_id, class Number = std::int32_t>
struct second_order_walker {
  walk_draws draws; ///< as in `path_walker`
  Vertex at;
  Vertex previous;       ///< −1 before the first step
  Vertex candidate;      ///< to be judged; −1 if none; during an exact draw a `row_question`
  edge_id edge;          ///< leads to a candidate from another rank; during an exact draw as `node2vec_step::race` says
  std::uint32_t attempt; ///< attempts so far, and edges looked at by an exact draw
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

/// Codes of a walker's candidate during an exact draw, if the previous vertex's row is remote.
struct row_question {
  static constexpr global_id stranger = -2; ///< answer
  static constexpr global_id neighbor = -3; ///< answer
  [[nodiscard]] static GLT_HOST_DEVICE constexpr global_id about(global_id vertex) noexcept { return -4 - vertex; }
  [[nodiscard]] static GLT_HOST_DEVICE constexpr bool is_open(global_id code) noexcept { return code <= -4; }
  [[nodiscard]] static GLT_HOST_DEVICE constexpr global_id vertex(global_id code) noexcept { return -4 - code; }
};

/// An attempt at a step of a node2vec walk, as far as it can be made here. If the previous vertex's row matters and is
/// remote, the walker goes there with its candidate. After many attempts an exact draw takes their place, for which the
/// walker goes there with one question after the other. `walk_block` describes the members.
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
    bool exact;    // the step is drawn exactly
  };

  GLT_HOST_DEVICE void begin(auto& it) const noexcept {
    it.neighbor = false;
    rows.prefetch(it.at);
  }

  GLT_HOST_DEVICE void draw(auto) const noexcept {}

  [[nodiscard]] GLT_HOST_DEVICE bool choose(auto& it) const noexcept {
    it.taken = nowhere;
    it.exact = false;
    if (is_question(it)) {
      return true;
    }
    it.words = it.draws.of_attempt(it.step, it.attempt);
    if (is_brought(it)) {
      return true;
    }
    auto const& graph = rows.graph_with(it.at);
    auto const row = rows.row_of(it.at);
    auto const degree = graph.degree(row);
    if (degree == 0) {
      return false;
    }
    it.exact = it.attempt >= node2vec_choice::most_attempts(degree);
    if (it.exact) {
      return true;
    }
    if (auto const position = node2vec_choice::position(it.words, degree); position >= 0) {
      it.taken = graph.offset(row) + position;
      prefetch(graph.sources().data() + it.taken);
    }
    return true;
  }

  GLT_HOST_DEVICE void look(auto& it) const noexcept {
    it.decided = verdict::reject;
    if (is_question(it)) {
      it.decided = verdict::accept_neighbor;
      return;
    }
    if (it.exact) {
      race(it);
      return;
    }
    if (it.taken != nowhere) {
      it.candidate = rows.graph_with(it.at).source(it.taken);
    } else if (!is_brought(it)) {
      return;
    }
    it.decided = choice.decide(it.words, it.previous, it.candidate);
    if constexpr (!Rows::all) {
      if (is_open(it.decided) && !rows.has(it.previous)) {
        if (it.taken != nowhere) {
          it.edge = rows.graph_with(it.at).id_of_edge(it.taken);
        }
        static_cast<void>(rows.enter(it, it.previous));
        return;
      }
    }
    rows.prefetch(it.candidate);
  }

  GLT_HOST_DEVICE void judge(auto& it) const noexcept {
    if (asks(it)) {
      it.neighbor = is_neighbor(it.previous, judged(it));
    }
  }

  /// @pre    there are at most `walkers_at_once`; not checked
  template <class State>
  void judge(std::span<State> walking) const noexcept {
    if (!ascending) {
      for (auto& it : walking) {
        judge(it);
      }
      return;
    }
    std::array<edge_lookup<source_type>, walkers_at_once> lookups;
    std::array<State*, walkers_at_once> asking;
    std::size_t count = 0;
    for (auto& it : walking) {
      if (asks(it)) {
        auto const row = rows.graph_with(it.previous).row(rows.row_of(it.previous));
        lookups[count] = {judged(it), row.data(), row.data() + row.size()};
        asking[count++] = &it;
      }
    }
    look_up(std::span(lookups).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      asking[i]->neighbor = lookups[i].found;
    }
  }

  GLT_HOST_DEVICE void go(auto& it, auto const& walkers) const {
    if (!rows.is_here(it)) {
      return; // to be judged
    }
    if constexpr (!Rows::all) {
      if (is_question(it)) {
        it.candidate = it.neighbor ? row_question::neighbor : row_question::stranger;
        static_cast<void>(rows.enter(it, it.at));
        return;
      }
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
    return Rows::all || it.taken != nowhere ? rows.graph_with(it.at).id_of_edge(it.taken) : it.edge;
  }

  void advance() noexcept {}

private:
  using source_type = typename decltype(Rows::graph)::vertex_type;
  static constexpr edge_offset nowhere = -1;

  // Takes the edge of the row that arrives first, or goes to ask whether a vertex is in the previous vertex's row.
  //
  // A walker that asks remembers two things. Its attempts beyond `most_attempts` are the edges looked at, the edge in
  // question included. Its edge is the first one to arrive of those before: 2 · position, plus 1 if it leads to a
  // neighbour; −1 if there is none.
  GLT_HOST_DEVICE void race(auto& it) const noexcept {
    auto const& graph = rows.graph_with(it.at);
    auto const row = rows.row_of(it.at);
    auto const degree = static_cast<std::uint32_t>(graph.degree(row));
    auto const first = graph.offset(row);
    auto const attempts = node2vec_choice::most_attempts(degree);
    auto position = it.attempt - attempts;
    edge_id best = -1;
    double best_time = 0;
    auto const enter = [&](std::uint32_t at, bool neighbor) {
      auto const time = choice.arrival(it.draws.variate(it.step, at), it.previous, graph.source(first + at), neighbor);
      if (best < 0 || time < best_time) {
        best = edge_id{2} * at + (neighbor ? 1 : 0);
        best_time = time;
      }
    };
    if (position > 0) { // with an answer
      if (it.edge >= 0) {
        enter(static_cast<std::uint32_t>(it.edge / 2), it.edge % 2 != 0);
      }
      enter(position - 1, it.candidate == row_question::neighbor);
    }
    for (; position < degree; ++position) {
      auto const source = graph.source(first + position);
      if (!choice.needs_row(it.previous, source)) {
        enter(position, false);
        continue;
      }
      if (best >= 0 && choice.earliest(it.draws.variate(it.step, position)) >= best_time) {
        continue;
      }
      if constexpr (!Rows::all) {
        if (!rows.has(it.previous)) {
          it.attempt = attempts + position + 1;
          it.edge = best;
          it.candidate = row_question::about(source);
          static_cast<void>(rows.enter(it, it.previous));
          return;
        }
      }
      enter(position, is_neighbor(it.previous, source));
    }
    it.taken = first + best / 2;
    it.candidate = graph.source(it.taken);
    it.decided = verdict::accept;
    rows.prefetch(it.candidate);
  }

  // True for a walker that arrived with a question of an exact draw.
  [[nodiscard]] static GLT_HOST_DEVICE bool is_question(auto const& it) noexcept {
    return !Rows::all && row_question::is_open(it.candidate);
  }
  // Returns the vertex that is searched in the previous vertex's row.
  [[nodiscard]] static GLT_HOST_DEVICE source_type judged(auto const& it) noexcept {
    return static_cast<source_type>(is_question(it) ? row_question::vertex(it.candidate) : it.candidate);
  }
  // True for a walker that arrived with a candidate.
  [[nodiscard]] static GLT_HOST_DEVICE bool is_brought(auto const& it) noexcept {
    return !Rows::all && it.candidate >= 0;
  }
  [[nodiscard]] GLT_HOST_DEVICE bool asks(auto const& it) const noexcept {
    return is_open(it.decided) && rows.is_here(it);
  }
  // Returns true if the row of a vertex, which `rows` have, holds another one.
  [[nodiscard]] GLT_HOST_DEVICE bool is_neighbor(global_id vertex, source_type source) const noexcept {
    edge_search<decltype(Rows::graph)::space, source_type> const edges{rows.graph_with(vertex), ascending};
    return edges(rows.row_of(vertex), source);
  }
};

} // namespace glt::detail
